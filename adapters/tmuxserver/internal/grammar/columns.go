package grammar

import (
	"strconv"
	"time"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// text is a column of free text.
func text[T any](variable string, set func(*T, string)) column[T] {
	return column[T]{variable: variable, decode: decodeText, set: func(row *T, v string) error { set(row, v); return nil }}
}

// name is a column of the name of a session or window.
func name[T any](variable string, set func(*T, string)) column[T] {
	decode := func(s string, v tmux.Version) string { return decodeName(decodeText(s, v)) }
	return column[T]{variable: variable, decode: decode, set: func(row *T, v string) error { set(row, v); return nil }}
}

// title is a column of a pane's title, which tmux keeps as it keeps a name from 3.7 on.
func title[T any](variable string, set func(*T, string)) column[T] {
	decode := func(s string, v tmux.Version) string {
		if v.AtLeast("3.7") {
			return decodeName(decodeText(s, v))
		}
		return decodeText(s, v)
	}
	return column[T]{variable: variable, decode: decode, set: func(row *T, v string) error { set(row, v); return nil }}
}

// id is a column of an id or of another word that tmux never escapes.
func id[T any](variable string, set func(*T, string)) column[T] {
	return column[T]{variable: variable, set: func(row *T, v string) error { set(row, v); return nil }}
}

// number is a column of an integer; tmux leaves what does not apply empty, which is 0.
func number[T any](variable string, set func(*T, int)) column[T] {
	return column[T]{variable: variable, set: func(row *T, v string) error {
		if v == "" {
			set(row, 0)
			return nil
		}
		n, err := strconv.Atoi(v)
		set(row, n)
		return err
	}}
}

// flag is a column that is set if it is neither empty nor 0, as in tmux's own conditionals.
func flag[T any](variable string, set func(*T, bool)) column[T] {
	return column[T]{variable: variable, set: func(row *T, v string) error { set(row, v != "" && v != "0"); return nil }}
}

// moment is a column of epoch seconds.
func moment[T any](variable string, set func(*T, time.Time)) column[T] {
	return column[T]{variable: variable, set: func(row *T, v string) error {
		seconds, err := strconv.ParseInt(v, 10, 64)
		set(row, time.Unix(seconds, 0))
		return err
	}}
}
