package surface_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// tools are a catalogue of two tools a toolset, and two that have none.
var tools = []surface.Member{
	{Name: "list", Toolset: surface.Inspect},
	{Name: "capture", Toolset: surface.Inspect},
	{Name: "rename", Toolset: surface.Manage},
	{Name: "resize", Toolset: surface.Manage},
	{Name: "run", Toolset: surface.Execute},
	{Name: "type", Toolset: surface.Execute},
	{Name: "clear", Toolset: surface.Teardown},
	{Name: "kill", Toolset: surface.Teardown},
	{Name: "exact_look", Toolset: surface.Exact},
	{Name: "exact_run", Toolset: surface.Exact},
}

const created = tmux.Generation("g1")

func choose(t *testing.T, wish surface.Wish) surface.Choice {
	t.Helper()
	choice, err := surface.Choose(tools, wish)
	if err != nil {
		t.Fatal(err)
	}
	return choice
}

// offered are the names on offer, in the order of the catalogue.
func offered(s surface.Selection) []string {
	return lo.FilterMap(tools, func(m surface.Member, _ int) (string, bool) { return m.Name, s.Offers(m.Name) })
}

// bound are the names that may act on the created server alone.
func bound(s surface.Selection) []string {
	return lo.FilterMap(tools, func(m surface.Member, _ int) (string, bool) { return m.Name, s.Bound(m.Name) == created })
}

func TestEverySubsetOfToolsets(t *testing.T) {
	all := surface.Toolsets()
	for bits := range 1 << len(all) {
		selected := lo.Filter(all, func(_ surface.Toolset, i int) bool { return bits>>i&1 == 1 })
		list := strings.Join(lo.Map(selected, func(s surface.Toolset, _ int) string { return string(s) }), ",")
		t.Run(list, func(t *testing.T) {
			want := lo.FilterMap(tools, func(m surface.Member, _ int) (string, bool) { return m.Name, slices.Contains(selected, m.Toolset) })
			choice := choose(t, surface.Wish{Toolsets: &list})
			for _, generation := range []tmux.Generation{"", created} {
				got := choice.Freeze(generation)
				if diff := cmp.Diff(want, offered(got)); diff != "" {
					t.Errorf("on offer (-want +got):\n%s", diff)
				}
				if b := bound(got); len(b) > 0 {
					t.Errorf("%v are bound, but were asked for", b)
				}
				if len(got.Withheld())+len(want) != len(tools) {
					t.Errorf("withheld: %v", got.Withheld())
				}
				step := surface.Step{Source: surface.ByToolsets, Toolsets: selected, Tools: want}
				if diff := cmp.Diff(step, got.Base, nilIsEmpty); diff != "" {
					t.Errorf("base (-want +got):\n%s", diff)
				}
			}
		})
	}
}

var nilIsEmpty = cmp.Comparer(func(a, b []string) bool { return slices.Equal(a, b) })

func TestSelection(t *testing.T) {
	no := func() *string { return new("") }
	for _, c := range []struct {
		name                   string
		wish                   surface.Wish
		created                tmux.Generation
		offered                string
		bound                  string
		base, added, exclusion string // what each step changed
	}{
		{
			"by default, on any server",
			surface.Wish{},
			"",
			"list capture rename resize run type", "", "list capture rename resize run type", "", "",
		},
		{
			"by default, on the server that was created",
			surface.Wish{},
			created,
			"list capture rename resize run type clear kill", "clear kill", "list capture rename resize run type clear kill", "", "",
		},
		{
			"a teardown asked for by name, on any server",
			surface.Wish{Tools: "kill"},
			"",
			"list capture rename resize run type kill", "", "list capture rename resize run type", "kill", "",
		},
		{
			"a teardown asked for by name holds for any server",
			surface.Wish{Tools: "kill"},
			created,
			"list capture rename resize run type clear kill", "clear", "list capture rename resize run type clear kill", "", "",
		},
		{"nothing", surface.Wish{Toolsets: no()}, created, "", "", "", "", ""},
		{"names alone", surface.Wish{Toolsets: no(), Tools: "type, exact_look"}, created, "type exact_look", "", "", "type exact_look", ""},
		{"a name twice", surface.Wish{Toolsets: no(), Tools: "run,run"}, "", "run", "", "", "run", ""},
		{"exclusions come last", surface.Wish{Toolsets: new("execute,execute"), Tools: "list,kill", Exclude: "kill,type,rename"}, "", "list run", "", "run type", "list kill", "type kill"},
		{"an exclusion from the default", surface.Wish{Exclude: "kill"}, created, "list capture rename resize run type clear", "clear", "list capture rename resize run type clear kill", "", "kill"},
		{"a base of exact names", surface.Wish{Exact: []string{"exact_look"}, Tools: "kill"}, created, "kill exact_look", "", "exact_look", "kill", ""},
		{"an empty base of exact names", surface.Wish{Exact: []string{}}, created, "", "", "", "", ""},
		{
			"exact names, with some by flag and by variable",
			surface.Wish{Exact: []string{"exact_look"}, Enable: []string{"exact_run", "exact_look"}, Tools: "kill", Exclude: "exact_look"},
			created,
			"kill exact_run", "", "exact_look", "kill exact_run", "exact_look",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := choose(t, c.wish).Freeze(c.created)
			steps := [][]string{offered(got), bound(got), got.Base.Tools, got.Added.Tools, got.Excluded.Tools}
			want := lo.Map([]string{c.offered, c.bound, c.base, c.added, c.exclusion}, func(s string, _ int) []string { return strings.Fields(s) })
			if diff := cmp.Diff(want, steps, nilIsEmpty); diff != "" {
				t.Errorf("on offer, bound, base, added, excluded (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhoAdds(t *testing.T) {
	for want, wish := range map[surface.Source]surface.Wish{
		"LIBTMUX_TOOLS":                {Tools: "kill"},
		"--enable-tool":                {Exact: []string{}, Enable: []string{"kill"}},
		"--enable-tool, LIBTMUX_TOOLS": {Exact: []string{}, Enable: []string{"kill"}, Tools: "run"},
	} {
		if got := choose(t, wish).Freeze("").Added.Source; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestAllIsEverythingOnAnyServer(t *testing.T) {
	s := surface.All(tools)
	if got := offered(s); len(got) != len(tools) || len(bound(s)) > 0 || len(s.Withheld()) > 0 || s.Base.Source != surface.ByEmbedder {
		t.Errorf("got %v, bound %v, %+v", got, bound(s), s.Base)
	}
	if surface.All(nil).Offers("list") {
		t.Error("a tool that is in no catalogue is on offer")
	}
}

func TestWishesThatCannotBe(t *testing.T) {
	for _, c := range []struct {
		name string
		wish surface.Wish
		says []string
	}{
		{"an unknown toolset", surface.Wish{Toolsets: new("inspect,destroy")}, []string{"LIBTMUX_TOOLSETS", `"destroy"`, "inspect, manage, execute, teardown"}},
		{"no toolset is empty", surface.Wish{Toolsets: new("inspect,,manage")}, []string{"LIBTMUX_TOOLSETS", "empty element", "inspect, manage, execute, teardown"}},
		{"not at the end either", surface.Wish{Toolsets: new("inspect,")}, []string{"LIBTMUX_TOOLSETS", "empty element"}},
		{"a comma alone", surface.Wish{Toolsets: new(",")}, []string{"LIBTMUX_TOOLSETS", "empty element"}},
		{"a blank alone", surface.Wish{Toolsets: new(" ")}, []string{"LIBTMUX_TOOLSETS", "empty element"}},
		{"a toolset in other letters", surface.Wish{Toolsets: new("Inspect")}, []string{`"Inspect"`}},
		{"an unknown tool", surface.Wish{Tools: "kil"}, []string{"LIBTMUX_TOOLS", `"kil"`, "list, capture"}},
		{"a toolset where a tool is meant", surface.Wish{Tools: "inspect"}, []string{"LIBTMUX_TOOLS", `"inspect"`}},
		{"an empty tool", surface.Wish{Tools: "kill,,run"}, []string{"LIBTMUX_TOOLS", "empty element", "list, capture"}},
		{"an unknown exclusion", surface.Wish{Exclude: "kill,nothing"}, []string{"LIBTMUX_EXCLUDE_TOOLS", `"nothing"`, "list, capture"}},
		{"an empty exclusion", surface.Wish{Exclude: ",kill"}, []string{"LIBTMUX_EXCLUDE_TOOLS", "empty element"}},
		{"an unknown exact tool", surface.Wish{Exact: []string{"exact_lok"}}, []string{`"exact_lok"`, "list, capture"}},
		{"an unknown tool by flag", surface.Wish{Exact: []string{}, Enable: []string{"exact_lok"}}, []string{"--enable-tool", `"exact_lok"`, "list, capture"}},
		{"toolsets and exact tools", surface.Wish{Exact: []string{"exact_look"}, Toolsets: new("")}, []string{"LIBTMUX_TOOLSETS", "exact"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := surface.Choose(tools, c.wish)
			if err == nil {
				t.Fatal("it was accepted")
			}
			for _, want := range c.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%q does not say %q", err, want)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is more than a line", err)
			}
		})
	}
}

func TestWhatIsWithheldCanBeEnabled(t *testing.T) {
	for _, c := range []struct {
		name string
		wish surface.Wish
		tool surface.Member
		want string
	}{
		{"the rest of the default", surface.Wish{}, surface.Member{Name: "kill", Toolset: surface.Teardown}, "add kill to LIBTMUX_TOOLS or set LIBTMUX_TOOLSETS=inspect,manage,execute,teardown"},
		{"of nothing", surface.Wish{Toolsets: new("")}, surface.Member{Name: "run", Toolset: surface.Execute}, "add run to LIBTMUX_TOOLS or set LIBTMUX_TOOLSETS=execute"},
		{"what has no toolset", surface.Wish{}, surface.Member{Name: "exact_run"}, "add exact_run to LIBTMUX_TOOLS"},
		{"beside exact tools", surface.Wish{Exact: []string{"exact_look"}}, surface.Member{Name: "run", Toolset: surface.Execute}, "pass --enable-tool run"},
		{"what was excluded", surface.Wish{Exclude: "run"}, surface.Member{Name: "run", Toolset: surface.Execute}, "remove run from LIBTMUX_EXCLUDE_TOOLS"},
		{
			"what was excluded and not selected",
			surface.Wish{Toolsets: new("inspect"), Exclude: "run"},
			surface.Member{Name: "run", Toolset: surface.Execute},
			"add run to LIBTMUX_TOOLS or set LIBTMUX_TOOLSETS=inspect,execute, and remove run from LIBTMUX_EXCLUDE_TOOLS",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := choose(t, c.wish).Freeze("")
			if !slices.Contains(s.Withheld(), c.tool) {
				t.Errorf("%v is on offer", c.tool)
			}
			if got := s.Enable(c.tool); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
