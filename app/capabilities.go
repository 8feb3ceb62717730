package app

import (
	"context"

	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/domain/enroll"
	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

// TmuxCapabilitiesIn has no arguments.
type TmuxCapabilitiesIn struct{}

// TmuxCapabilitiesOut is what an exact deployment offers, and on which server.
type TmuxCapabilitiesOut struct {
	Endpoint              string           `json:"endpoint" jsonschema:"public alias of the server, in the URIs of resources"`
	Server                ExactServer      `json:"server" open:"true" jsonschema:"state (running, absent), generation, pid, start_time (epoch seconds), version"`
	EnabledTools          []string         `json:"enabled_tools"`
	Limits                ExactLimits      `json:"limits" open:"true" jsonschema:"in bytes, seconds or numbers, as their names say"`
	Criteria              CriteriaLanguage `json:"criteria" open:"true" jsonschema:"combinators, operators by type, fields by entity, limits"`
	ProcessTracking       string           `json:"process_tracking,omitempty" enum:"supported,tmux_version,pid_namespace,kernel,proc,operating_system" jsonschema:"supported, or what is missing to tell the processes of panes apart for certain"`
	TrackingProblem       string           `json:"tracking_problem,omitempty" jsonschema:"that in words"`
	CaptureHooksStable    *bool            `json:"capture_hooks_must_be_stable,omitempty" jsonschema:"true (tmux before 3.5): set no after-capture-pane hook while something is captured"`
	OwnsDaemon            bool             `json:"owns_daemon" jsonschema:"false: the tmux server stays when this process ends"`
	ResourceSubscriptions bool             `json:"resource_subscriptions"`
}

// An ExactServer is the identity of the server.
type ExactServer struct {
	State      string `json:"state" enum:"running,absent"`
	Generation string `json:"generation,omitempty" jsonschema:"identity of this life of the server; references count in it alone"`
	PID        int    `json:"pid,omitempty"`
	StartTime  int64  `json:"start_time,omitempty" jsonschema:"epoch seconds"`
	Version    string `json:"version,omitempty"`
}

// ExactLimits bound the exact tools.
type ExactLimits struct {
	CallSeconds        float64 `json:"call_seconds" jsonschema:"within which a call ends that does not wait"`
	TextBytes          int     `json:"text_bytes" jsonschema:"of a mutation"`
	ResultBytes        int     `json:"result_bytes" jsonschema:"of an answer; more is capacity, never cut"`
	SnapshotItems      int     `json:"snapshot_items" jsonschema:"of a page"`
	AcquisitionSeconds float64 `json:"acquisition_seconds" jsonschema:"within which a snapshot is read"`
	RetainedCaptures   int     `json:"retained_captures" jsonschema:"that cursors page; the oldest makes room"`
	RetainedBytes      int     `json:"retained_bytes" jsonschema:"of all of them"`
	RetainedSeconds    float64 `json:"retained_seconds" jsonschema:"after which a cursor is stale"`
	Keys               int     `json:"keys" jsonschema:"of a mutation"`
	Arguments          int     `json:"argv" jsonschema:"entries, of a creation"`
	ScriptBytes        int     `json:"script_bytes" jsonschema:"of tmux_run"`
	OutputBytes        int     `json:"output_bytes" jsonschema:"of each output of tmux_run, at the most"`
	Enrollments        int     `json:"enrolled_panes" jsonschema:"at the most"`
}

// The limits of one mutation by an exact tool.
const (
	maxExactText = 64 << 10 // bytes
	maxExactKeys = 256
	maxExactArgv = 256
)

// TmuxCapabilities tells what is enabled here, on which server.
func (a *App) TmuxCapabilities(ctx context.Context, _ TmuxCapabilitiesIn) (TmuxCapabilitiesOut, error) {
	ctx, err := a.admit(ctx, "tmux_capabilities")
	if err != nil {
		return TmuxCapabilitiesOut{}, err
	}
	t, err := a.topology(ctx, tmux.DetailBrief)
	if err != nil {
		return TmuxCapabilitiesOut{}, err
	}
	retained := a.retained.Limits()
	out := TmuxCapabilitiesOut{
		Endpoint: a.options.Endpoint, Server: exactServer(t),
		EnabledTools: lo.Map(a.tools, func(t Tool, _ int) string { return t.Name }),
		Limits: ExactLimits{
			CallSeconds: a.options.CallTimeout.Seconds(), ResultBytes: a.options.MaxResultBytes,
			SnapshotItems: greatestPage, AcquisitionSeconds: a.options.AcquisitionTimeout.Seconds(),
			RetainedCaptures: retained.Captures, RetainedBytes: retained.Bytes, RetainedSeconds: retained.Age.Seconds(),
			TextBytes: maxExactText, Keys: maxExactKeys, Arguments: maxExactArgv,
			ScriptBytes: enroll.MaxScript, OutputBytes: enroll.MaxOutput, Enrollments: enroll.MaxPanes,
		},
		Criteria: criteriaLanguage(t),
	}
	if t.Running {
		out.CaptureHooksStable = new(!t.Server.Version.AtLeast("3.5"))
		out.ProcessTracking, out.TrackingProblem = a.tracking(ctx, t.Server)
	}
	return out, nil
}

// tracking says whether the processes of panes can be told apart; neither if that could not be found out.
func (a *App) tracking(ctx context.Context, server tmux.Server) (is, why string) {
	tracking, err := a.Identity.Tracking(ctx, server)
	if err != nil {
		return "", problem(err)
	}
	return string(lo.CoalesceOrEmpty(tracking.Lack, "supported")), tracking.Detail
}

func exactServer(t tmux.Topology) ExactServer {
	if !t.Running {
		return ExactServer{State: "absent"}
	}
	return ExactServer{
		State: "running", Generation: string(t.Server.Generation), PID: t.Server.PID, StartTime: t.Server.StartTime.Unix(),
		Version: string(t.Server.Version),
	}
}
