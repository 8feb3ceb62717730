// Package snapshot holds what is asked of captured metadata, and how long it is kept: the fields of each kind of entity, criteria
// over them, and the retention that pages and tracked captures share.
package snapshot

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A Type says what a field holds.
type Type string

// The types.
const (
	Text   Type = "text"
	Number Type = "number" // whole; moments are epoch seconds
	Flag   Type = "flag"
)

// A Field is one of tmux's format variables.
type Field struct {
	Name  string
	Type  Type
	Since tmux.Version // the first that has it; empty: every version that is supported
}

// Known reports whether a version of tmux has the field.
func (f Field) Known(version tmux.Version) bool { return f.Since == "" || version.AtLeast(f.Since) }

// Kinds are the entities that there are snapshots of, from the largest to the smallest.
func Kinds() []tmux.Kind {
	return []tmux.Kind{tmux.KindSession, tmux.KindWindow, tmux.KindWindowLink, tmux.KindPane, tmux.KindClient}
}

// Fields are those of a kind, always in the same order; none if there is no such kind. What depends on who asks is left out, and what
// a client of this process changes by being there. Source: tmux's format.c, 3.2a to 3.7c.
func Fields(kind tmux.Kind) []Field { return catalogue[kind] }

var catalogue = map[tmux.Kind][]Field{
	tmux.KindSession: fields(
		`session_id session_name session_group session_alerts`,
		`session_created session_windows session_attached session_group_size`,
		`session_grouped`,
	),
	tmux.KindWindow: fields(
		`window_id window_name window_layout window_visible_layout`,
		`window_width window_height window_panes window_linked_sessions window_active_sessions`,
		`window_zoomed_flag window_linked`,
	),
	tmux.KindWindowLink: fields(
		`session_id session_name window_id window_name window_raw_flags`,
		`window_index`,
		`window_active window_activity_flag window_bell_flag window_silence_flag window_start_flag window_end_flag`,
	),
	tmux.KindPane: append(fields(
		`pane_id window_id pane_title pane_current_command pane_current_path pane_start_command pane_tty pane_mode`,
		`pane_index pane_pid pane_dead_status pane_width pane_height pane_left pane_top pane_right pane_bottom pane_in_mode
		cursor_x cursor_y history_size history_limit`,
		`pane_active pane_dead pane_input_off pane_synchronized pane_pipe pane_at_left pane_at_right pane_at_top pane_at_bottom
		alternate_on`,
	),
		Field{"pane_dead_signal", Text, "3.3"}, Field{"pane_dead_time", Number, "3.3"}, Field{"pane_unseen_changes", Flag, "3.4"},
		Field{"pane_key_mode", Text, "3.5"}, Field{"bracket_paste_flag", Flag, "3.7"}),
	tmux.KindClient: append(fields(
		`client_name client_tty client_session session_id client_flags client_key_table client_termname`,
		`client_pid client_created client_activity client_width client_height`,
		`client_control_mode client_readonly client_prefix client_utf8`,
	), Field{"client_user", Text, "3.3"}, Field{"client_uid", Number, "3.3"}),
}

// fields are names, by type, that every version has.
func fields(texts, numbers, flags string) []Field {
	of := func(names string, typ Type) []Field {
		return lo.Map(strings.Fields(names), func(name string, _ int) Field { return Field{Name: name, Type: typ} })
	}
	return append(append(of(texts, Text), of(numbers, Number)...), of(flags, Flag)...)
}

// places are where the fields of each kind stand.
var places = lo.MapValues(catalogue, func(of []Field, _ tmux.Kind) map[string]int {
	return lo.SliceToMap(lo.Range(len(of)), func(i int) (string, int) { return of[i].Name, i })
})

// A Value is what a field holds. The zero Value is absent: this tmux does not have the field, or it does not apply.
type Value struct {
	Type   Type // empty: absent
	Text   string
	Number int64 // of a flag: 1 if it is set
}

// parse reads a field as tmux prints it. A number that is empty does not apply; a flag is set as in tmux's own conditionals.
func (f Field) parse(text string) (Value, error) {
	switch {
	case f.Type == Text:
		return Value{Type: Text, Text: text}, nil
	case f.Type == Flag:
		return Value{Type: Flag, Number: lo.Ternary[int64](text != "" && text != "0", 1, 0)}, nil
	case text == "":
		return Value{}, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return Value{}, fmt.Errorf("tmux's %s is %q: %w", f.Name, text, err)
	}
	return Value{Type: Number, Number: n}, nil
}
