package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/libtmux-mcp/libtmux-mcp/integration/pipes"
)

// A story asks and prints. The first answer that is not as promised ends it: every later step does nothing, and err
// says why.
type story struct {
	server *pipes.Process
	err    error
}

// An answer is what a tool said: its fields, or those of its error.
type answer map[string]any

// ask says why in a sentence, calls the tool and prints what it answered.
func (s *story) ask(ctx context.Context, why, tool string, arguments map[string]any) answer {
	return s.step(ctx, why, tool, arguments, false)
}

// refused is ask where the right answer is an error.
func (s *story) refused(ctx context.Context, why, tool string, arguments map[string]any) answer {
	return s.step(ctx, why, tool, arguments, true)
}

func (s *story) step(ctx context.Context, why, tool string, arguments map[string]any, wantError bool) answer {
	if s.err != nil {
		return nil
	}
	if arguments == nil {
		arguments = map[string]any{}
	}
	fmt.Printf("\n%s\n  -> %s %s\n", why, tool, compact(arguments))
	result, err := s.server.Call(ctx, tool, arguments)
	if err != nil {
		s.err = err
		return nil
	}
	show(result.Data)
	var a answer
	if err := json.Unmarshal(result.Data, &a); err != nil {
		s.err = fmt.Errorf("%s answered what is no object: %w", tool, err)
	} else if result.IsError != wantError {
		s.err = fmt.Errorf("%s: an error is %v, want %v: %s", tool, result.IsError, wantError, result.Data)
	}
	return a
}

// want ends the story unless a field of the answer has that value.
func (s *story) want(a answer, field string, value any) {
	if s.err == nil && !reflect.DeepEqual(a[field], value) {
		s.err = fmt.Errorf("%s is %s, want %s", field, compact(a[field]), compact(value))
	}
}

// wantLine ends the story unless one of the answer's lines holds text.
func (s *story) wantLine(a answer, text string) {
	if s.err == nil && !strings.Contains(compact(a["lines"]), text) {
		s.err = fmt.Errorf("no line holds %q: %s", text, compact(a["lines"]))
	}
}

// text is a field that must be a string with something in it.
func (s *story) text(a answer, field string) string {
	value, ok := a[field].(string)
	if s.err == nil && (!ok || value == "") {
		s.err = fmt.Errorf("%s is %s, want a text", field, compact(a[field]))
	}
	return value
}

// compact is JSON as a person reads it.
func compact(value any) string {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(text.String(), "\n")
}

// show prints an answer: its fields in their order, lists a row each, and terminal text as it stands.
func show(data json.RawMessage) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		fmt.Printf("  <- %s\n", data)
		return
	}
	var fields, rows []string
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			break
		}
		var value json.RawMessage
		if err := decoder.Decode(&value); err != nil {
			break
		}
		var lines []string
		var entities []json.RawMessage
		switch {
		case name == "lines" && json.Unmarshal(value, &lines) == nil:
			for _, line := range lines {
				rows = append(rows, "   | "+line)
			}
		case json.Unmarshal(value, &entities) == nil:
			for _, entity := range entities {
				rows = append(rows, "   * "+short(string(entity), 150))
			}
		default:
			fields = append(fields, fmt.Sprintf("%s: %s", name, short(string(value), 250)))
		}
	}
	for _, line := range append(wrap(fields, 110), rows...) {
		fmt.Println(line)
	}
}

// wrap sets fields in lines of at most width, if they are not longer themselves.
func wrap(fields []string, width int) []string {
	var lines []string
	line := "  <-"
	for i, field := range fields {
		if i < len(fields)-1 {
			field += ","
		}
		if len(line)+1+len(field) > width && line != "  <-" {
			lines = append(lines, line)
			line = "    "
		}
		line += " " + field
	}
	return append(lines, line)
}

// short cuts a text that only a program would read, such as a cursor.
func short(text string, limit int) string {
	if runes := []rune(text); len(runes) > limit {
		return string(runes[:limit]) + " ..."
	}
	return text
}

// until looks at the pane until its screen holds text, without printing: a program there answers when it likes.
func (s *story) until(ctx context.Context, pane, text string) {
	for s.err == nil {
		result, err := s.server.Call(ctx, "capture_pane", map[string]any{"pane_id": pane})
		if err != nil || result.IsError {
			s.err = fmt.Errorf("waiting for %q in %s: %s: %w", text, pane, result.Data, err)
		} else if strings.Contains(string(result.Data), text) {
			return
		}
	}
}
