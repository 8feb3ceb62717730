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

// show prints an answer: its fields in their order, listed things a row each, and terminal text as it stands.
func show(data json.RawMessage) {
	var plain []field
	var rows []string
	for _, f := range fieldsOf(data) {
		var lines []string
		var listed []json.RawMessage
		switch {
		case f.name == "lines" && json.Unmarshal(f.value, &lines) == nil:
			for _, line := range lines {
				rows = append(rows, "   | "+line)
			}
		case bytes.HasPrefix(f.value, []byte("[{")) && json.Unmarshal(f.value, &listed) == nil:
			for _, one := range listed {
				rows = append(rows, wrap("   *", fieldsOf(one))...)
			}
		default:
			plain = append(plain, f)
		}
	}
	for _, line := range append(wrap("  <-", plain), rows...) {
		fmt.Println(line)
	}
}

// A field is one member of a JSON object, as it came.
type field struct {
	name  string
	value json.RawMessage
}

// fieldsOf splits an object into its members, in their order. What is no object has none.
func fieldsOf(data json.RawMessage) []field {
	var fields []field
	decoder := json.NewDecoder(bytes.NewReader(data))
	if open, err := decoder.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for decoder.More() {
		name, err := decoder.Token()
		if err != nil {
			return fields
		}
		f := field{name: fmt.Sprint(name)}
		if err := decoder.Decode(&f.value); err != nil {
			return fields
		}
		fields = append(fields, f)
	}
	return fields
}

// wrap sets fields in lines that fit a terminal of 110 columns, if they do themselves.
func wrap(mark string, fields []field) []string {
	var lines []string
	line := mark
	for i, f := range fields {
		text := fmt.Sprintf(" %s: %s", f.name, f.value)
		if i < len(fields)-1 {
			text += ","
		}
		if i > 0 && len(line)+len(text) > 110 {
			lines = append(lines, line)
			line = strings.Repeat(" ", len(mark))
		}
		line += text
	}
	return append(lines, line)
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
