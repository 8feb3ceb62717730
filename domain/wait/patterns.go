package wait

import (
	"fmt"
	"regexp"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
)

// The limits of patterns.
const (
	GreatestPatterns = 16
	GreatestPattern  = 1024 // bytes
)

// Patterns are texts or regular expressions to look for in lines.
type Patterns struct {
	texts []string
	exps  []*regexp.Regexp
}

// Compile checks patterns: none may be empty or longer than GreatestPattern, and there are at most GreatestPatterns. With
// regex they are RE2 (Go's regexp), else literal. argument names the argument in the message.
func Compile(argument string, patterns []string, regex bool) (Patterns, error) {
	if len(patterns) > GreatestPatterns {
		return Patterns{}, fault.Invalidf(fmt.Sprintf("pass at most %d; a regular expression can hold alternatives", GreatestPatterns),
			"%s holds %d patterns", argument, len(patterns))
	}
	compiled := Patterns{texts: patterns}
	for i, text := range patterns {
		switch {
		case text == "":
			return Patterns{}, fault.Invalidf("pass what the line holds; to wait for silence use idle", "%s[%d] is empty: it would match everything", argument, i)
		case len(text) > GreatestPattern:
			return Patterns{}, fault.Invalidf("shorten it", "%s[%d] has %d bytes, more than %d", argument, i, len(text), GreatestPattern)
		}
		source := text
		if !regex {
			source = regexp.QuoteMeta(text)
		}
		exp, err := regexp.Compile(source)
		if err != nil {
			return Patterns{}, fault.Invalidf("use RE2 syntax (no look-around, no back-references), or leave regex out for literal text",
				"%s[%d] is not a regular expression: %v", argument, i, err)
		}
		if exp.MatchString("") {
			return Patterns{}, fault.Invalidf("pass one that needs at least a character", "%s[%d] matches the empty text: it would match everything", argument, i)
		}
		compiled.exps = append(compiled.exps, exp)
	}
	return compiled, nil
}

// A Match is where a pattern was found.
type Match struct {
	Pattern string // as it was given
	Start   int    // bytes into the line
}

// Match finds the first pattern that a line holds.
func (p Patterns) Match(line string) (found Match, ok bool) {
	for i, exp := range p.exps {
		if at := exp.FindStringIndex(line); at != nil {
			return Match{p.texts[i], at[0]}, true
		}
	}
	return Match{}, false
}

// An Outcome says how a wait ended.
type Outcome string

// The outcomes.
const (
	Matched        Outcome = "matched"
	Stopped        Outcome = "stopped"          // one of the stop patterns
	PresentAtEntry Outcome = "present_at_entry" // it stood there already
	Idle           Outcome = "idle"             // nothing was written for so long
	Signalled      Outcome = "signalled"        // on the channel
	TimedOut       Outcome = "timed_out"
	PaneGone       Outcome = "pane_gone"
	PaneDied       Outcome = "pane_died"
	ServerGone     Outcome = "server_gone"
)
