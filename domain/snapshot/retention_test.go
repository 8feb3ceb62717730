package snapshot_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
)

// A capture is what the model knows of one.
type capture struct {
	name     string
	handle   snapshot.Capture
	rows     []string
	bytes    int
	limit    int
	expires  time.Time
	cursors  []string // to every place that a page began at
	read     []string // by whoever pages honestly
	next     string
	released int
}

func always(*capture) string { return "" }

// Whatever is kept, read, forged, left to expire or pushed out by others: pages give each row once and in order, what is gone never comes
// back as something else, and what is kept never exceeds its limits.
func TestRetentionKeepsItsPromises(t *testing.T) {
	served, refused, forged := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		limits := snapshot.Limits{
			Captures: rapid.IntRange(1, 4).Draw(t, "captures"), Bytes: rapid.IntRange(1, 100).Draw(t, "bytes"), Age: 30 * time.Second,
		}
		r := snapshot.NewRetention(limits, []byte("k"))
		foreign := snapshot.NewRetention(limits, []byte("other"))
		now := time.Unix(0, 0)
		var all, kept []*capture // the oldest first
		expire := func() {
			kept = slices.DeleteFunc(kept, func(c *capture) bool { return !now.Before(c.expires) })
		}
		page := func(c *capture, cursor string) ([]string, string, error) {
			found, at, err := snapshot.Find(r, now, cursor, always)
			if err != nil {
				return nil, "", err
			}
			if found != c {
				t.Fatalf("a cursor of %s found %s", c.name, found.name)
			}
			rows, next := snapshot.Page(found.rows, at, found.limit)
			if next == 0 {
				return rows, "", nil
			}
			return rows, r.Cursor(c.handle, next), nil
		}
		anyOf := func() *capture {
			if len(all) == 0 {
				t.Skip("nothing was kept")
			}
			return rapid.SampledFrom(all).Draw(t, "capture")
		}
		t.Repeat(map[string]func(*rapid.T){
			"keep": func(t *rapid.T) {
				c := &capture{
					name: fmt.Sprint(len(all)), bytes: rapid.IntRange(0, 120).Draw(t, "bytes"), limit: rapid.IntRange(1, 4).Draw(t, "limit"),
					expires: now.Add(limits.Age),
				}
				for i := range rapid.IntRange(0, 10).Draw(t, "rows") {
					c.rows = append(c.rows, fmt.Sprintf("%s.%d", c.name, i))
				}
				c.handle = r.New()
				expire()
				err := r.Keep(now, c.handle, snapshot.Entry{Value: c, Bytes: c.bytes, Release: func() { c.released++ }})
				if tooLarge := c.bytes > limits.Bytes; tooLarge != fault.Is(err, fault.Capacity) {
					t.Fatalf("%d of %d bytes: %v", c.bytes, limits.Bytes, err)
				} else if tooLarge {
					if c.released != 1 {
						t.Fatal("what was too large is not released")
					}
					return
				}
				for len(kept) >= limits.Captures || sum(kept)+c.bytes > limits.Bytes {
					kept = kept[1:]
				}
				c.next = r.Cursor(c.handle, 0)
				c.cursors = []string{c.next}
				all, kept = append(all, c), append(kept, c)
			},
			"page": func(t *rapid.T) {
				c := anyOf()
				if c.next == "" {
					t.Skip("read to its end")
				}
				expire()
				rows, next, err := page(c, c.next)
				if alive := slices.Contains(kept, c); alive != (err == nil) || !alive && !fault.Is(err, fault.StaleCursor) {
					t.Fatalf("%s, kept %t: %v", c.name, alive, err)
				}
				if err != nil {
					refused++
					return
				}
				served++
				c.read = append(c.read, rows...)
				if c.next = next; next != "" {
					c.cursors = append(c.cursors, next)
				} else if diff := cmp.Diff(c.rows, c.read); diff != "" {
					t.Fatalf("all pages of %s (-want +got):\n%s", c.name, diff)
				}
				if !slices.Equal(c.read, c.rows[:len(c.read)]) {
					t.Fatalf("read %q of %q", c.read, c.rows)
				}
			},
			"again": func(t *rapid.T) {
				c := anyOf()
				rows, _, err := page(c, rapid.SampledFrom(c.cursors).Draw(t, "cursor"))
				if err == nil && len(c.rows) > 0 && !slices.Contains(c.rows, rows[0]) {
					t.Fatalf("%s: %q", c.name, rows)
				}
			},
			"forge": func(t *rapid.T) {
				c := anyOf()
				cursor := []byte(rapid.SampledFrom(c.cursors).Draw(t, "cursor"))
				i := rapid.IntRange(0, len(cursor)-1).Draw(t, "at")
				letter := rapid.SampledFrom([]byte("AZaz09-_=+/ \x00\xff")).Draw(t, "letter")
				if cursor[i] == letter {
					t.Skip("the same")
				}
				cursor[i] = letter
				texts := []string{string(cursor), c.cursors[0] + "A", c.cursors[0][1:], "", foreign.Cursor(c.handle, 0), r.ID(c.handle)}
				for _, text := range texts {
					if _, _, err := snapshot.Find(r, now, text, always); !fault.Is(err, fault.StaleCursor) {
						t.Fatalf("%q for %q: %v", text, c.cursors, err)
					}
					forged++
				}
			},
			"elsewhere": func(t *rapid.T) {
				c := anyOf()
				if _, _, err := snapshot.Find(r, now, c.cursors[0], func(*capture) string { return "is of another pane" }); !fault.Is(err, fault.StaleCursor) {
					t.Fatalf("of another owner: %v", err)
				}
				if _, _, err := snapshot.Find(r, now, c.cursors[0], func(int) string { return "" }); !fault.Is(err, fault.StaleCursor) {
					t.Fatalf("of another tool: %v", err)
				}
			},
			"wait": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.IntRange(0, 20).Draw(t, "seconds")) * time.Second)
			},
			"sweep": func(t *rapid.T) {
				expire()
				var want time.Time
				if len(kept) > 0 {
					want = kept[0].expires
				}
				if got := r.Expire(now); !got.Equal(want) {
					t.Fatalf("the next expires at %v, want %v", got, want)
				}
				for _, c := range all {
					if alive := slices.Contains(kept, c); alive != (c.released == 0) {
						t.Fatalf("%s, kept %t: released %d times", c.name, alive, c.released)
					}
				}
			},
			"": func(t *rapid.T) {
				if got := r.Bytes(); got > limits.Bytes {
					t.Fatalf("%d bytes of %d are retained", got, limits.Bytes)
				}
				for _, c := range all {
					if c.released > 1 {
						t.Fatalf("%s was released %d times", c.name, c.released)
					}
				}
			},
		})
		r.Close()
		for _, c := range all {
			if c.released != 1 {
				t.Fatalf("%s was released %d times in the end", c.name, c.released)
			}
		}
		late := false
		if err := r.Keep(now, r.New(), snapshot.Entry{Release: func() { late = true }}); err != nil || !late || r.Bytes() != 0 {
			t.Fatalf("after the end: %v, released %t, %d bytes", err, late, r.Bytes())
		}
	})
	t.Logf("%d pages served, %d refused, %d forgeries refused", served, refused, forged)
	if served == 0 || refused == 0 || forged == 0 {
		t.Error("that shows nothing")
	}
}

func sum(kept []*capture) (bytes int) {
	for _, c := range kept {
		bytes += c.bytes
	}
	return bytes
}

func TestDefaultLimits(t *testing.T) {
	want := snapshot.Limits{Captures: 16, Bytes: 8 << 20, Age: 30 * time.Second}
	if diff := cmp.Diff(want, snapshot.NewRetention(snapshot.Limits{}, nil).Limits()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
