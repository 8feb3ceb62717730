package grammar

import (
	"crypto/rand"
	"fmt"
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A Nonce delimits the records and fields of one answer: random, printable, and without meaning to a format, so that no
// title, path or hook can imitate it.
type Nonce string

// NewNonce makes a nonce for one call.
func NewNonce() Nonce { return Nonce(rand.Text()) }

func (n Nonce) begin() string { return string(n) + "<" }
func (n Nonce) end() string   { return string(n) + ">" }
func (n Nonce) next() string  { return string(n) + "." }

// A column is one field of a listing: the format variable that asks for it and where its value goes.
type column[T any] struct {
	variable string
	decode   func(string, tmux.Version) string // of free text, which tmux may escape; nil for numbers, ids and flags
	set      func(*T, string) error
}

// A Table is the columns of a listing of one kind of entity.
type Table[T any] []column[T]

// Format renders the -F argument that asks for the table.
func (t Table[T]) Format(nonce Nonce) string {
	fields := make([]string, len(t))
	for i, c := range t {
		fields[i] = "#{" + c.variable + "}"
		if c.decode != nil {
			fields[i] = "#{q:" + c.variable + "}"
		}
	}
	return nonce.begin() + strings.Join(fields, nonce.next()) + nonce.end()
}

// Parse reads the rows that Format asked for. What stands between them, such as the output of a hook, is not theirs.
func (t Table[T]) Parse(nonce Nonce, output string, version tmux.Version) ([]T, error) {
	var rows []T
	for {
		_, rest, found := strings.Cut(output, nonce.begin())
		if !found {
			return rows, nil
		}
		record, after, found := strings.Cut(rest, nonce.end())
		if !found {
			return nil, decodeFault("a row of tmux's answer has no end", nil)
		}
		fields := strings.Split(record, nonce.next())
		if len(fields) != len(t) {
			return nil, decodeFault(fmt.Sprintf("a row of tmux's answer has %d fields instead of %d", len(fields), len(t)), nil)
		}
		var row T
		for i, c := range t {
			value := fields[i]
			if c.decode != nil {
				value = c.decode(value, version)
			}
			if err := c.set(&row, value); err != nil {
				return nil, decodeFault(fmt.Sprintf("tmux's %s is %q", c.variable, value), err)
			}
		}
		rows, output = append(rows, row), after
	}
}

// Alone reports whether an answer is one row and nothing else, so that no hook printed into it.
func (t Table[T]) Alone(nonce Nonce, output string) bool {
	record := strings.TrimSuffix(output, "\n")
	return strings.HasPrefix(record, nonce.begin()) && strings.HasSuffix(record, nonce.end()) && strings.Count(record, nonce.end()) == 1
}

func decodeFault(message string, err error) error {
	return &fault.Error{Kind: fault.DecodeError, Message: message, Delivery: fault.Observed, Err: err}
}

// within makes the columns of a part of a row into columns of the row.
func within[R, T any](table Table[T], part func(*R) *T) Table[R] {
	return lo.Map(table, func(c column[T], _ int) column[R] {
		return column[R]{variable: c.variable, decode: c.decode, set: func(row *R, v string) error { return c.set(part(row), v) }}
	})
}
