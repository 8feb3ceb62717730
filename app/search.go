package app

import (
	"context"
	"slices"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
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
	searchSpare    = 500 * time.Millisecond // left of a call's time for the answer
	searchers      = 4                      // panes captured at once
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
	s := search{
		app: a, server: t.Server, history: in.History, patterns: patterns,
		each: lo.CoalesceOrEmpty(in.MaxMatchesPerPane, 20), found: make([][]MatchRow, len(panes)),
	}
	if len(panes) > searchedPanes {
		s.stop("panes")
		panes = panes[:searchedPanes]
	}
	if err := s.all(ctx, panes); err != nil {
		return SearchPanesOut{}, err
	}
	matches := lo.Flatten(s.found)
	if most := lo.CoalesceOrEmpty(in.MaxMatches, defaultMatches); len(matches) > most {
		s.stop("matches")
		matches = matches[:most]
	}
	return SearchPanesOut{
		Listing: listingOf(t, len(matches)), Matches: matches, PanesSearched: s.searched, Skipped: append([]SkippedPane{}, s.skipped...),
		Truncated: len(s.stopped) > 0, StoppedBy: append([]string{}, s.stopped...),
	}, nil
}

// A search is one at work in several panes at once.
type search struct {
	app      *App
	server   tmux.Server
	history  int
	patterns wait.Patterns
	each     int          // matches of a pane
	found    [][]MatchRow // by pane

	mu           sync.Mutex
	lines, bytes int
	searched     int
	skipped      []SkippedPane
	stopped      []string // limits
	err          error
}

// stop notes that a limit was reached.
func (s *search) stop(limit string) { s.stopped = lo.Uniq(append(s.stopped, limit)) }

// all searches panes until a limit that ends the search is reached.
func (s *search) all(ctx context.Context, panes []tmux.Pane) error {
	until := time.Now().Add(searchTime - searchSpare)
	if deadline, ok := ctx.Deadline(); ok && deadline.Add(-searchSpare).Before(until) {
		until = deadline.Add(-searchSpare)
	}
	searching, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	next := make(chan int)
	var workers sync.WaitGroup
	for range searchers {
		workers.Go(func() {
			for i := range next {
				s.one(searching, i, panes[i])
			}
		})
	}
	for i := range panes {
		if s.full() || searching.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	workers.Wait()
	if err := ctx.Err(); err != nil {
		return asFault(err, "search")
	}
	if searching.Err() != nil {
		s.stop("time")
	}
	return s.err
}

// full reports whether a limit of all panes together was reached.
func (s *search) full() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lines >= searchedLines {
		s.stop("lines")
	}
	if s.bytes >= searchedBytes {
		s.stop("bytes")
	}
	return s.lines >= searchedLines || s.bytes >= searchedBytes || s.err != nil
}

// one searches a pane.
func (s *search) one(ctx context.Context, i int, pane tmux.Pane) {
	c, err := s.app.Reader.Capture(ctx, ports.CaptureRequest{Server: s.server, Pane: pane.ID, History: s.history, Join: true, Starts: true})
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err == nil:
	case ctx.Err() != nil: // the time is up, which all tells
		return
	case fault.Is(err, fault.Refused), fault.Is(err, fault.NotFound), fault.Is(err, fault.DecodeError):
		s.skipped = append(s.skipped, SkippedPane{PaneID: string(pane.ID), Reason: err.Error()})
		return
	default:
		s.err = err
		return
	}
	s.searched++
	rows := screen.TrimEnd(c.Rows)
	var matches []MatchRow
	for n, row := range slices.Backward(rows) {
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
		matches = append(matches, MatchRow{PaneID: string(pane.ID), Row: c.Starts[n], Line: cutAt(line, matchedLine)})
	}
	slices.Reverse(matches)
	s.found[i] = matches
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
