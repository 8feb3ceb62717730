package app

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/fault"
	"github.com/libtmux-mcp/libtmux-mcp/domain/snapshot"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// A Resource is a kind of document that the server has under a template of URIs, and the tool whose policy and limits it is under.
type Resource struct {
	Name        string
	Title       string
	Description string
	Template    string // RFC 6570, of simple variables that are whole segments
	MIMEType    string
	Tool        string

	read func(ctx context.Context, a *App, at values) (any, error)
	show func(a *App, at values, out any, encoded json.RawMessage) Content
}

// A Content is what a resource holds.
type Content struct {
	MIMEType string
	Text     string
	Blob     []byte         // instead of text, if it is not nil
	Meta     map[string]any // about it
}

// values are those of a template's variables.
type values map[string]string

// resources are all that there are.
func resources() []Resource {
	snapshots := "tmux://{endpoint}/{generation}/snapshots/{entity}"
	return []Resource{
		{
			Name: "snapshot", Title: "Snapshot", Template: snapshots, MIMEType: "application/json", Tool: "tmux_snapshot",
			Description: "The first page of a new snapshot of one kind of entity, as tmux_snapshot answers it. _meta has the URI of the next page.",
			read: func(ctx context.Context, a *App, at values) (any, error) {
				return a.snapshotIn(ctx, tmux.Generation(at["generation"]), TmuxSnapshotIn{Entity: at["entity"]})
			},
			show: showSnapshot,
		},
		{
			Name: "snapshot page", Title: "Page of a snapshot", Template: snapshots + "/pages/{cursor}", MIMEType: "application/json", Tool: "tmux_snapshot",
			Description: "A later page of the capture that the cursor belongs to. It never changes, and does not claim that what was captured still exists.",
			read: func(ctx context.Context, a *App, at values) (any, error) {
				if _, err := a.admit(ctx, "tmux_snapshot"); err != nil {
					return nil, err
				}
				return a.snapshotPage(at["cursor"], func(c *snapshotCapture) string {
					return lo.Ternary(string(c.kind) == at["entity"] && string(c.server.Generation) == at["generation"], "",
						fmt.Sprintf("is of a %s in generation %s", c.kind, c.server.Generation))
				})
			},
			show: showSnapshot,
		},
		{
			Name: "screen", Title: "Screen of a pane", Template: "tmux://{endpoint}/{generation}/panes/{pane_id}/screen", MIMEType: "text/plain", Tool: "tmux_capture",
			Description: "What a pane shows now, untrusted, as tmux_capture answers it without more arguments; a blob if it is not UTF-8. _meta has its interval, and what is truncated.",
			read: func(ctx context.Context, a *App, at values) (any, error) {
				return a.TmuxCapture(ctx, TmuxCaptureIn{Reference: Reference{Generation: at["generation"], TargetID: at["pane_id"]}})
			},
			show: showScreen,
		},
	}
}

// showSnapshot is a page, with what identifies its capture, and where it goes on.
func showSnapshot(_ *App, at values, out any, encoded json.RawMessage) Content {
	page, _ := out.(TmuxSnapshotOut) // as read answers
	meta := map[string]any{"capture_id": page.CaptureID, "interval": page.Interval, "truncated": page.Truncated}
	if page.NextCursor != "" {
		meta["next_page"] = "tmux://" + strings.Join([]string{
			escaped(at["endpoint"]), escaped(at["generation"]), "snapshots", escaped(at["entity"]), "pages", escaped(page.NextCursor),
		}, "/")
	}
	return Content{MIMEType: "application/json", Text: string(encoded), Meta: meta}
}

// showScreen is what a pane shows as one text, or as the bytes that it is made of.
func showScreen(_ *App, _ values, out any, _ json.RawMessage) Content {
	captured, _ := out.(TmuxCaptureOut) // as read answers
	content := Content{MIMEType: "text/plain", Meta: map[string]any{
		"capture_id": captured.CaptureID, "interval": captured.Interval, "truncated": captured.Truncated, "dropped_lines": captured.DroppedLines,
		"history_continuity": captured.HistoryContinuity,
	}}
	if captured.Encoding == encodingUTF8 {
		content.Text = strings.Join(captured.Rows, "")
		return content
	}
	content.MIMEType = "application/octet-stream"
	for _, row := range captured.Rows {
		bytes, _ := base64.StdEncoding.DecodeString(row) // as it was encoded
		content.Blob = append(content.Blob, bytes...)
	}
	return content
}

// Resources are those whose tools are on offer.
func (a *App) Resources() []Resource {
	return lo.Filter(resources(), func(r Resource, _ int) bool { return a.surface.Offers(r.Tool) })
}

// ReadResource reads what a URI names, as a call of the resource's tool does: under the same gate, within the same time and size, and
// audited as one. NotFound if there is no such resource on offer, InvalidInput if a segment of the URI is not percent-encoded
// canonically; else what the tool faults with.
func (a *App) ReadResource(ctx context.Context, uri string) (Content, error) {
	resource, at, err := a.route(uri)
	if err != nil {
		return Content{}, err
	}
	if at["endpoint"] != a.options.Endpoint {
		return Content{}, noResource(fmt.Sprintf("there is no endpoint %.130q here", at["endpoint"]), "use "+a.options.Endpoint)
	}
	if entity, ok := at["entity"]; ok && len(snapshot.Fields(tmux.Kind(entity))) == 0 {
		return Content{}, noResource(fmt.Sprintf("there are no snapshots of %.64q", entity), "use one of session, window, window_link, pane, client")
	}
	tool, _ := lo.Find(a.tools, func(t Tool) bool { return t.Name == resource.Tool }) // it is on offer
	tool.call = func(ctx context.Context, a *App, _ json.RawMessage) (any, error) { return resource.read(ctx, a, at) }
	arguments, err := json.Marshal(at)
	if err != nil {
		return Content{}, err
	}
	out, encoded, err := a.perform(ctx, tool, arguments, a.options.MaxResultBytes)
	if err != nil {
		return Content{}, err
	}
	return resource.show(a, at, out, encoded), nil
}

func noResource(message, recovery string) error {
	return &fault.Error{Kind: fault.NotFound, Message: message, Recovery: recovery}
}
