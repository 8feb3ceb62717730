package snapshot

import (
	"encoding/json"
	"strconv"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/screen"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A Row is one entity.
type Row struct {
	Kind   tmux.Kind
	Values []Value // in the order of Fields(Kind)
}

// A Reading is every entity of a kind at one instant.
type Reading struct {
	Server  tmux.Server
	Running bool // false if no server listens at the socket; then all else is empty
	Rows    []Row
}

// NewRow is an entity whose fields print gives as tmux prints them, decoded. What the version does not have is absent. An error is a
// number that is none.
func NewRow(kind tmux.Kind, version tmux.Version, print func(name string) string) (Row, error) {
	row := Row{Kind: kind, Values: make([]Value, len(Fields(kind)))}
	for i, field := range Fields(kind) {
		if !field.Known(version) {
			continue
		}
		var err error
		if row.Values[i], err = field.parse(print(field.Name)); err != nil {
			return Row{}, err
		}
	}
	return row, nil
}

// Get is the value of a field by name; absent if the kind has none of that name.
func (r Row) Get(name string) Value {
	i, ok := places[r.Kind][name]
	if !ok {
		return Value{}
	}
	return r.Values[i]
}

// ids are the fields that name an entity for as long as it lives. A link has none of its own, nor has a client.
var ids = map[tmux.Kind]string{tmux.KindSession: "session_id", tmux.KindWindow: "window_id", tmux.KindPane: "pane_id"}

// ID is the stable id; empty if entities of the kind have none.
func (r Row) ID() string { return r.Get(ids[r.Kind]).Text }

// AppendJSON appends the fields as one JSON object, in order, without those that are absent. Bytes that are not UTF-8 are
// replaced and counted.
func (r Row) AppendJSON(out []byte) (appended []byte, replaced int) {
	out = append(out, '{')
	for i, field := range Fields(r.Kind) {
		value := r.Values[i]
		if value.Type == "" {
			continue
		}
		if out[len(out)-1] != '{' {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), field.Name...), '"', ':')
		switch value.Type {
		case Text:
			clean, n := screen.Clean(value.Text)
			text, _ := json.Marshal(clean) // a string always can be
			out = append(out, text...)
			replaced += n
		case Number:
			out = strconv.AppendInt(out, value.Number, 10)
		case Flag:
			out = append(out, lo.Ternary(value.Number != 0, "true", "false")...)
		}
	}
	return append(out, '}'), replaced
}
