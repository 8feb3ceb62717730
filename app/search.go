package app

import (
	"context"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
	"github.com/libtmux-mcp/libtmux-mcp/domain/wait"
	"github.com/libtmux-mcp/libtmux-mcp/ports"
)

// The limits of a search.
const (
	searchedPanes  = 200
	searchedLines  = 200_000
	searchedBytes  = 16 << 20
	searchTime     = 5 * time.Second
	searchSpare    = time.Second // left of a call's time for the end of what is at work, and for the answer
	defaultMatches = 100
	matchedLine    = 512 // bytes of a line that are shown
)

// SearchPanesIn says what to look for.
type SearchPanesIn struct {
	Pattern           string `json:"pattern" jsonschema:"text that a line holds"`
	Regex             bool   `json:"regex,omitempty" jsonschema:"pattern is RE2; literal by default"`
	SessionID         string `json:"session_id,omitempty" jsonschema:"only panes of this session ($N)"`
	WindowID          string `json:"window_id,omitempty" jsonschema:"only panes of this window (@N)"`
	History           int    `json:"history,omitempty" min:"0" max:"200000" jsonschema:"lines above each screen to search too, 0 by default"`
	MaxMatches        int    `json:"max_matches,omitempty" min:"1" max:"1000" jsonschema:"100 by default"`
	MaxMatchesPerPane int    `json:"max_matches_per_pane,omitempty" min:"1" max:"1000" jsonschema:"newest ones of each pane, 20 by default"`
}

// SearchPanesOut are the matches.
type SearchPanesOut struct {
	Listing
	Matches       []MatchRow    `json:"matches" jsonschema:"untrusted; by pane, older lines first"`
	PanesSearched int           `json:"panes_searched"`
	Skipped       []SkippedPane `json:"skipped" jsonschema:"panes that were not searched"`
	Truncated     bool          `json:"truncated" jsonschema:"there may be more"`
	StoppedBy     []string      `json:"stopped_by" jsonschema:"limits that were reached: panes (200), lines (200000), bytes (16 MB), time (5 s), matches, matches_per_pane"`
}

// A MatchRow is one line that matches.
type MatchRow struct {
	PaneID string `json:"pane_id"`
	Row    int    `json:"row" jsonschema:"rows from the oldest kept one"`
	Line   string `json:"line" jsonschema:"its first 512 bytes"`
}

// A SkippedPane is a pane that was not searched.
type SkippedPane struct {
	PaneID string `json:"pane_id"`
	Reason string `json:"reason"`
}

// SearchPanes looks for a text in what panes show.
func (a *App) SearchPanes(ctx context.Context, in SearchPanesIn) (SearchPanesOut, error) {
	ctx, err := a.admit(ctx, "search_panes")
	if err != nil {
		return SearchPanesOut{}, err
	}
	patterns, err := wait.Compile("pattern", []string{in.Pattern}, in.Regex)
	if err != nil {
		return SearchPanesOut{}, err
	}
	t, err := a.filtered(ctx, tmux.DetailBrief, in.SessionID, in.WindowID)
	if err != nil {
		return SearchPanesOut{}, err
	}
	panes := lo.Filter(t.Panes, func(p tmux.Pane, _ int) bool {
		return inSession(t.LinksOf(p.Window), in.SessionID) && (in.WindowID == "" || in.WindowID == string(p.Window))
	})
	s := search{patterns: patterns, each: lo.CoalesceOrEmpty(in.MaxMatchesPerPane, 20), matches: []MatchRow{}}
	if len(panes) > searchedPanes {
		s.stop("panes")
		panes = panes[:searchedPanes]
	}
	if len(panes) > 0 {
		err := s.all(ctx, a.Reader, ports.LinesRequest{
			Server: t.Server, History: in.History, Panes: lo.Map(panes, func(p tmux.Pane, _ int) tmux.PaneID { return p.ID }),
		})
		if err != nil {
			return SearchPanesOut{}, err
		}
	}
	matches := s.matches
	if most := lo.CoalesceOrEmpty(in.MaxMatches, defaultMatches); len(matches) > most {
		s.stop("matches")
		matches = matches[:most]
	}
	return SearchPanesOut{
		Listing: listingOf(t, len(matches)), Matches: matches, PanesSearched: s.searched, Skipped: append([]SkippedPane{}, s.skipped...),
		Truncated: len(s.stopped) > 0, StoppedBy: append([]string{}, s.stopped...),
	}, nil
}

// A search is one at work.
type search struct {
	patterns wait.Patterns
	each     int // matches of a pane

	matches      []MatchRow
	lines, bytes int
	searched     int
	skipped      []SkippedPane
	stopped      []string // limits
}

// stop notes that a limit was reached.
func (s *search) stop(limit string) { s.stopped = lo.Uniq(append(s.stopped, limit)) }

// all searches panes until a limit that ends the search is reached.
func (s *search) all(ctx context.Context, reader ports.Reader, request ports.LinesRequest) error {
	until := time.Now().Add(searchTime - searchSpare)
	if deadline, ok := ctx.Deadline(); ok && deadline.Add(-searchSpare).Before(until) {
		until = deadline.Add(-searchSpare)
	}
	searching, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	for lines := range reader.Lines(searching, request) {
		switch {
		case ctx.Err() != nil:
			return asFault(ctx.Err(), "search")
		case searching.Err() != nil && lines.Err != nil:
			s.stop("time")
			return nil
		case ports.EndsLines(lines.Err):
			return lines.Err
		case lines.Err != nil:
			s.skipped = append(s.skipped, SkippedPane{PaneID: string(lines.Pane), Reason: lines.Err.Error()})
			continue
		}
		s.one(lines)
		if last := lines.Pane == request.Panes[len(request.Panes)-1]; !last && s.full(searching) {
			return nil
		}
	}
	return nil
}

// full reports whether a limit of all panes together was reached.
func (s *search) full(searching context.Context) bool {
	if s.lines >= searchedLines {
		s.stop("lines")
	}
	if s.bytes >= searchedBytes {
		s.stop("bytes")
	}
	if searching.Err() != nil {
		s.stop("time")
	}
	return s.lines >= searchedLines || s.bytes >= searchedBytes || searching.Err() != nil
}

// one searches a pane.
func (s *search) one(lines ports.Lines) {
	s.searched++
	var matches []MatchRow
	for n, row := range slices.Backward(screen.TrimEnd(lines.Rows)) {
		s.lines++
		s.bytes += len(row)
		if _, ok := s.patterns.Match(row); !ok {
			continue
		}
		if len(matches) == s.each {
			s.stop("matches_per_pane")
			break
		}
		line, _ := screen.Clean(row)
		matches = append(matches, MatchRow{PaneID: string(lines.Pane), Row: lines.Starts[n], Line: cutAt(line, matchedLine)})
	}
	slices.Reverse(matches)
	s.matches = append(s.matches, matches...)
}

// cutAt cuts a text to at most so many bytes, between characters.
func cutAt(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most]
}
