package mcptest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// A Stage is where a scenario is played: what persons do there.
type Stage interface {
	// Open makes a detached session that runs a program, and returns when that has drawn its screen.
	Open(t testing.TB, session, program string)
	// Attach lets a person look at a session.
	Attach(t testing.TB, session string)
}

// Scenarios plays each scenario of a directory as a subtest, in a conversation and on a stage of its own.
//
// A scenario is a txtar archive: what it is about as its comment, and a file "conversation" whose lines are
//
//	# a remark
//	* open SESSION PROGRAM    what a person does: see Stage
//	* attach SESSION
//	> TOOL ARGUMENTS          a call, with its arguments as JSON
//	< FIELD: VALUE            what a field of the answer must be, as JSON
//	< FIELD: $NAME            the same, or, of a name that is not known yet, what it is called from now on
//	< FIELD ~ "REGEXP"        what must be found in a field, or in one of its texts
//
// A FIELD is a path such as panes.0.pane_id. Those of a refusal begin with "error.", and a call without one must succeed. "$NAME" stands for
// its value in arguments and values.
func Scenarios(t *testing.T, directory string, play func(t *testing.T, name string, with func(t *testing.T, c *Conversation, stage Stage))) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(directory, "*.txtar"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no scenarios in %s: %v", directory, err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".txtar")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			play(t, name, func(t *testing.T, c *Conversation, stage Stage) { Play(t, path, text, c, stage) })
		})
	}
}

// Play plays one scenario, the text of a file.
func Play(t testing.TB, path string, text []byte, c *Conversation, stage Stage) {
	t.Helper()
	archive := txtar.Parse(text)
	if len(archive.Comment) == 0 || len(archive.Files) != 1 || archive.Files[0].Name != "conversation" {
		t.Fatalf("%s is not a comment and a conversation", path)
	}
	s := scenario{t: t, path: path, conversation: c, stage: stage, names: map[string]any{}}
	before := strings.Count(string(archive.Comment), "\n") + 1
	for i, line := range strings.Split(string(archive.Files[0].Data), "\n") {
		s.line(before+i+1, line)
	}
	if s.compared == 0 {
		t.Fatalf("%s compares nothing", path)
	}
}

// A scenario is one that is being played.
type scenario struct {
	t            testing.TB
	path         string
	conversation *Conversation
	stage        Stage
	names        map[string]any

	at       int // line
	call     string
	answer   map[string]any
	failed   bool // the answer is an error that no line has spoken of
	compared int
}

// fatal ends the test at a line of the scenario.
func (s *scenario) fatal(format string, args ...any) {
	s.t.Helper()
	answer, _ := json.Marshal(s.answer) // it came as JSON
	s.t.Fatalf("%s:%d: %s\nafter %s\nwhich answered %s", s.path, s.at, fmt.Sprintf(format, args...), s.call, answer)
}

func (s *scenario) line(at int, line string) {
	s.t.Helper()
	kind, rest, _ := strings.Cut(line, " ")
	if kind != "<" && s.failed {
		s.fatal("the call failed")
	}
	s.at = at
	switch kind {
	case "", "#":
	case "*":
		s.act(strings.Fields(rest))
	case ">":
		s.ask(rest)
	case "<":
		s.compare(rest)
	default:
		s.fatal("what is %q?", line)
	}
}

func (s *scenario) act(words []string) {
	s.t.Helper()
	switch {
	case len(words) == 3 && words[0] == "open":
		s.stage.Open(s.t, words[1], words[2])
	case len(words) == 2 && words[0] == "attach":
		s.stage.Attach(s.t, words[1])
	default:
		s.fatal("nobody can do %q", words)
	}
}

func (s *scenario) ask(call string) {
	s.t.Helper()
	tool, text, _ := strings.Cut(call, " ")
	s.call = call
	var failure *Failure
	s.answer, failure = s.conversation.Call(s.t, tool, s.value(text))
	if s.failed = failure != nil; s.failed {
		if err := json.Unmarshal([]byte(failure.Text), &s.answer); err != nil {
			s.fatal("%v", err)
		}
	}
}

// aName is the name of a value.
var aName = regexp.MustCompile(`\$[a-z_]+`)

// value reads JSON in which names stand for their values.
func (s *scenario) value(text string) any {
	s.t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		s.fatal("%s: %v", text, err)
	}
	return s.named(value)
}

func (s *scenario) named(value any) any {
	switch value := value.(type) {
	case string:
		if known, ok := s.names[value]; ok {
			return known
		}
		if aName.MatchString(value) && aName.FindString(value) == value {
			s.fatal("%s is not known here", value)
		}
	case []any:
		for i := range value {
			value[i] = s.named(value[i])
		}
	case map[string]any:
		for key := range value {
			value[key] = s.named(value[key])
		}
	}
	return value
}

// aComparison is a field, how it is compared, and with what.
var aComparison = regexp.MustCompile(`^([a-z_0-9.]+)(:| ~) (.+)$`)

func (s *scenario) compare(text string) {
	s.t.Helper()
	parts := aComparison.FindStringSubmatch(text)
	if parts == nil {
		s.fatal("%q compares nothing", text)
	}
	path, how, with := parts[1], parts[2], parts[3]
	if strings.HasPrefix(path, "error.") {
		s.failed = false
	}
	got, ok := field(s.answer, strings.Split(path, "."))
	if !ok {
		s.fatal("there is no %s", path)
	}
	s.compared++
	switch _, known := s.names[with]; {
	case how == " ~":
		pattern, err := regexp.Compile(fmt.Sprint(s.value(with)))
		if err != nil {
			s.fatal("%v", err)
		}
		if !pattern.MatchString(fmt.Sprint(got)) {
			s.fatal("%s is %v, want one in which %s is found", path, got, pattern)
		}
	case known:
		if got != s.names[with] {
			s.fatal("%s is %v, want %s, which is %v", path, got, with, s.names[with])
		}
	case strings.HasPrefix(with, "$"):
		s.names[with] = got
	default:
		if want := s.value(with); !reflect.DeepEqual(got, want) {
			s.fatal("%s is %v, want %v", path, got, want)
		}
	}
}

// field finds what stands at a path.
func field(value any, path []string) (any, bool) {
	for _, key := range path {
		switch in := value.(type) {
		case map[string]any:
			found, ok := in[key]
			if !ok {
				return nil, false
			}
			value = found
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(in) {
				return nil, false
			}
			value = in[i]
		default:
			return nil, false
		}
	}
	return value, true
}
