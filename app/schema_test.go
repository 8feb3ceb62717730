package app_test

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/libtmux-mcp/libtmux-mcp/app"
)

type bounds struct {
	MaxLines int `json:"max_lines,omitempty" jsonschema:"rows, newest kept" min:"1" max:"2000"`
}

type corner string

type link struct {
	Session string `json:"session_id"`
	Index   *int   `json:"index,omitempty"`
}

type everything struct {
	Pane   string   `json:"pane_id" jsonschema:"the pane's id, from list_panes"`
	Corner corner   `json:"corner,omitempty" enum:"top_left,bottom_right"`
	Names  []string `json:"names,omitempty" minItems:"1" maxItems:"3" maxLength:"8"`
	bounds
	Wait        *float64          `json:"timeout,omitzero" min:"0"`
	Dead        *bool             `json:"dead,omitempty"`
	Links       []link            `json:"links"`
	Created     time.Time         `json:"created"`
	Environment map[string]string `json:"environment,omitempty"`
	Criteria    json.RawMessage   `json:"criteria,omitempty"`
	Receipt     any               `json:"receipt,omitempty"`
	Told        *link             `json:"told,omitempty" jsonschema:"elsewhere" open:"true"`
	Skipped     chan int          `json:"-"`
}

func TestSchemaOf(t *testing.T) {
	want := strings.Join(strings.Fields(`{"type":"object","properties":{
		"pane_id":{"type":"string","description":"the_pane's_id,_from_list_panes"},
		"corner":{"type":"string","enum":["top_left","bottom_right"]},
		"names":{"type":"array","items":{"type":"string","maxLength":8},"minItems":1,"maxItems":3},
		"max_lines":{"type":"integer","description":"rows,_newest_kept","minimum":1,"maximum":2000},
		"timeout":{"type":"number","minimum":0},
		"dead":{"type":"boolean"},
		"links":{"type":"array","items":{"type":"object",
			"properties":{"session_id":{"type":"string"},"index":{"type":"integer"}},
			"required":["session_id"],"additionalProperties":false}},
		"created":{"type":"string"},
		"environment":{"type":"object","additionalProperties":{"type":"string"}},
		"criteria":{"type":"object"},
		"receipt":{"type":"object"},
		"told":{"type":"object","description":"elsewhere"}},
		"required":["pane_id","links","created"],"additionalProperties":false}`), "")
	got, err := json.Marshal(app.SchemaOf(reflect.TypeFor[everything]()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.ReplaceAll(want, "_", " "), strings.ReplaceAll(string(got), "_", " ")); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
}

func TestSchemaOfNothing(t *testing.T) {
	got, err := json.Marshal(app.SchemaOf(reflect.TypeFor[struct{}]()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"type":"object","properties":{},"additionalProperties":false}`, string(got)); diff != "" {
		t.Errorf("schema (-want +got):\n%s", diff)
	}
}

type endless struct {
	Next []endless `json:"next"`
}

func TestSchemaOfRefuses(t *testing.T) {
	tests := map[string]struct {
		of   reflect.Type
		says string
	}{
		"a pointer that would be null": {reflect.TypeFor[struct {
			P *int `json:"p"`
		}](), "would be null"},
		"bytes": {reflect.TypeFor[struct {
			B []byte `json:"b"`
		}](), "[]uint8"},
		"a type within itself": {reflect.TypeFor[endless](), "endless"},
		"a field without a name": {reflect.TypeFor[struct {
			Name string
		}](), "no JSON name"},
		"one name twice": {reflect.TypeFor[struct {
			bounds
			Lines int `json:"max_lines"`
		}](), "two properties"},
		"a bound that is no number": {reflect.TypeFor[struct {
			N int `json:"n" min:"few"`
		}](), "tag min"},
		"a channel": {reflect.TypeFor[struct {
			C chan int `json:"c"`
		}](), "chan int"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, test.says) {
					t.Errorf("panic: want one that says %q, got %s", test.says, said)
				}
			}()
			app.SchemaOf(test.of)
		})
	}
}
