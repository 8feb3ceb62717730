package main

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/alecthomas/kong"
	"github.com/samber/lo"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/tmuxserver/cli"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

// dedicatedSocket is the name of the socket when none is selected.
const dedicatedSocket = "libtmux-mcp"

// flags is the command line.
type flags struct {
	Serve        serveFlags  `cmd:"" default:"withargs" help:"Serve MCP on standard input and output (the default)."`
	Tools        toolsFlags  `cmd:"" help:"Print the tools that serve would offer with these flags in this environment, and why."`
	Doctor       serveFlags  `cmd:"" help:"Say what works here, and what to do about what does not; with the flags of serve."`
	ClientConfig clientFlags `cmd:"" help:"Print how an MCP client is told to start this server."`
	Version      struct{}    `cmd:"" help:"Print the version."`
}

// toolsFlags are the flags of tools.
type toolsFlags struct {
	Serve serveFlags `embed:""`
	JSON  bool       `name:"json" help:"As the resource tmux://capabilities has it."`
}

// clientFlags are the arguments of client-config.
type clientFlags struct {
	Client string   `arg:"" help:"One of claude-code, claude-desktop, codex, cursor, gemini, vscode."`
	Args   []string `arg:"" optional:"" passthrough:"" help:"Flags of serve for the client to pass."`
}

// serveFlags are the flags of serve. Values that are out of range are refused in config.
type serveFlags struct {
	Socket            *string  `placeholder:"PATH" help:"Path of the socket of the tmux server to use. It is borrowed: never killed, started only by create_session."`
	SocketName        *string  `placeholder:"NAME" help:"Name of that socket, as tmux -L. Without either, a server named libtmux-mcp is used, and started if it does not run."`
	Tmux              *string  `placeholder:"EXECUTABLE" help:"The tmux executable. Default: tmux on PATH or in the usual directories."`
	Backend           string   `default:"auto" enum:"auto,cli,control" help:"How tmux is reached: cli (a process for each command list; waits poll), control (clients that stay attached), auto (cli, and for waits control)."`
	Endpoint          *string  `placeholder:"NAME" help:"Deny by default: only tmux_capabilities and tmux_snapshot are on offer, and what --enable-tool names. The name is the server's public alias, in the URIs of resources: letters, digits, _ . -"`
	EnableTool        []string `sep:"none" placeholder:"NAME" help:"Deny by default, and offer this tool too. Repeatable."`
	EnrollPane        []string `sep:"none" placeholder:"%ID=FILE" help:"Deny by default, and invite the zsh that is that pane's process: FILE is made, and enrolls it for tmux_run when sourced there. Repeatable, at most 8."`
	EnrollmentTimeout float64  `default:"60" placeholder:"SECONDS" help:"Within which an invited shell must source its file, at most 300."`
	Timeout           float64  `default:"5" placeholder:"SECONDS" help:"For calls that do not wait, 0.1 to 120."`
	Concurrency       int      `default:"64" help:"Calls at work at once, 1 to 1024."`
	MaxRequests       int      `default:"256" help:"Calls at work and waiting for their turn, 1 to 65536."`
	MaxFrameBytes     int      `default:"1048576" help:"Bytes of a received message, 4096 to 67108864."`
	MaxOutputBytes    int      `default:"4194304" help:"Bytes queued to a peer that reads slowly, 65536 to 268435456."`
	MaxResponseBytes  int      `default:"1048576" help:"Bytes of one structured answer, 65536 to 16777216."`
	Ask               bool     `help:"Where the client shows questions, put to the person what would be refused because they see the pane or because this conversation runs in it; it goes on if they agree."`
	Audit             *string  `placeholder:"FILE" help:"Absolute path of a file to which every call adds a line: tool, target, outcome, delivery, duration; nothing that was typed or shown."`
	LogLevel          string   `default:"warn" enum:"debug,info,warn,error" help:"What to log on standard error: ${enum}."`
}

// A selection says how the socket was chosen.
type selection string

const (
	selectedByFlag        selection = "flag"
	selectedByEnvironment selection = "environment"
	selectedByDefault     selection = "default"
)

// A config is a command line and an environment, checked and complete. Nothing was touched to make it.
type config struct {
	help           string
	flags          serveFlags
	json           bool        // of tools
	client         clientFlags // of client-config
	socketPath     string
	selected       selection
	choice         surface.Choice
	endpoint       string
	tmuxConfig     string // configuration of a server that this process starts; empty: the shipped one, or tmux's own if borrowed
	timeout        time.Duration
	enroll         []paneFile
	enrollmentLife time.Duration
	level          slog.Level
	environment    map[string]string
}

// parse reads the command line and the environment.
func parse(args, environment []string) (command string, c config, err error) {
	var f flags
	parsed, help, err := f.parse(args)
	if help != "" {
		if _, ofServe, _ := f.parse([]string{"serve", "--help"}); strings.HasPrefix(help, "Usage: libtmux-mcp <command>") {
			_, its, _ := strings.Cut(ofServe, "Show context-sensitive help.\n\n")
			help += "\nFlags of serve, tools and doctor:\n" + its
		}
		return "help", config{help: help + environmentHelp}, nil
	}
	if err != nil {
		return "", config{}, fmt.Errorf("%s (see --help)", oneLine(err.Error()))
	}
	switch command, _, _ = strings.Cut(parsed.Command(), " "); command {
	case "version":
	case "client-config":
		c.client = f.ClientConfig
		if _, ok := clients[c.client.Client]; !ok {
			return "", config{}, fmt.Errorf("there is no client %q (known: %s)", c.client.Client, strings.Join(slices.Sorted(maps.Keys(clients)), ", "))
		}
		c.client.Args = lo.Without(c.client.Args, "--")
		if called, _, err := parse(c.client.Args, environment); err != nil || called != "serve" {
			return "", config{}, lo.CoalesceOrEmpty(err, errors.New("client-config takes flags of serve alone"))
		}
	case "tools":
		c, err = f.Tools.Serve.config(environment)
		c.json = f.Tools.JSON
	case "doctor":
		c, err = f.Doctor.config(environment)
	default:
		c, err = f.Serve.config(environment)
	}
	return command, c, err
}

// parse reads a command line. If it asks for help, that is the answer, and nothing else.
func (f *flags) parse(args []string) (parsed *kong.Context, help string, err error) {
	var text strings.Builder
	asked := false
	parser, err := kong.New(f, kong.Name("libtmux-mcp"), kong.Writers(&text, &text), kong.Exit(func(int) { asked = true }),
		kong.Description("An MCP server through which an agent sees, waits on, runs in and manages tmux."),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}))
	if err != nil {
		return nil, "", err
	}
	parsed, err = parser.Parse(args)
	if asked {
		return nil, text.String(), nil
	}
	return parsed, "", err
}

const environmentHelp = `
Environment:
  LIBTMUX_SOCKET         Name of the socket; exclusive with LIBTMUX_SOCKET_PATH. Flags win.
  LIBTMUX_SOCKET_PATH    Absolute path of the socket.
  LIBTMUX_TMUX_CONFIG    Absolute path of the configuration of a server that this process starts.
  LIBTMUX_TOOLSETS       Which tools (not with --endpoint or --enable-tool): a comma list of inspect, manage, execute, teardown; empty: none. Default: all four on
                         a server that this process created with its minimal configuration, else all but teardown.
  LIBTMUX_TOOLS          Tools to add to those, by name.
  LIBTMUX_EXCLUDE_TOOLS  Tools to remove last, by name.
`

// config completes the flags by the environment and checks both.
func (f serveFlags) config(environment []string) (config, error) {
	env := lo.Associate(environment, func(entry string) (string, string) {
		name, value, _ := strings.Cut(entry, "=")
		return name, value
	})
	c := config{flags: f, environment: env, timeout: time.Duration(f.Timeout * float64(time.Second))}
	if err := c.level.UnmarshalText([]byte(f.LogLevel)); err != nil {
		return config{}, err
	}
	for _, number := range []struct {
		flag            string
		value, min, max float64
	}{
		{"--timeout", f.Timeout, 0.1, 120},
		{"--concurrency", float64(f.Concurrency), 1, 1024},
		{"--max-requests", float64(f.MaxRequests), 1, 65536},
		{"--max-frame-bytes", float64(f.MaxFrameBytes), 4096, 64 << 20},
		{"--max-output-bytes", float64(f.MaxOutputBytes), 64 << 10, 256 << 20},
		{"--max-response-bytes", float64(f.MaxResponseBytes), 64 << 10, 16 << 20},
	} {
		if !(number.value >= number.min && number.value <= number.max) { // also NaN
			return config{}, fmt.Errorf("%s %v is out of range: %v to %v", number.flag, number.value, number.min, number.max)
		}
	}
	for _, text := range []struct{ name, value string }{
		{"--socket", lo.FromPtr(f.Socket)},
		{"--socket-name", lo.FromPtr(f.SocketName)},
		{"--tmux", lo.FromPtr(f.Tmux)},
		{"--audit", lo.FromPtr(f.Audit)},
		{"LIBTMUX_SOCKET", env["LIBTMUX_SOCKET"]},
		{"LIBTMUX_SOCKET_PATH", env["LIBTMUX_SOCKET_PATH"]},
		{"LIBTMUX_TMUX_CONFIG", env["LIBTMUX_TMUX_CONFIG"]},
	} {
		if strings.ContainsFunc(text.value, unicode.IsControl) {
			return config{}, fmt.Errorf("%s holds a control character: %q", text.name, text.value)
		}
	}
	if f.Tmux != nil && *f.Tmux == "" {
		return config{}, fmt.Errorf("--tmux is empty")
	}
	if f.Audit != nil && !filepath.IsAbs(*f.Audit) {
		return config{}, fmt.Errorf("--audit %q is not an absolute path", *f.Audit)
	}
	wish := surface.Wish{Tools: env[surface.ToolsVariable], Exclude: env[surface.ExcludeVariable]}
	if toolsets, set := env[surface.ToolsetsVariable]; set {
		wish.Toolsets = &toolsets
	}
	if f.Endpoint != nil || len(f.EnableTool) > 0 || len(f.EnrollPane) > 0 {
		wish.Exact, wish.Enable = app.ExactBase(), f.EnableTool
	}
	c.endpoint = lo.FromPtrOr(f.Endpoint, app.DefaultEndpoint)
	err := app.CheckEndpoint(c.endpoint)
	if err != nil {
		return config{}, fmt.Errorf("--endpoint: %w", err)
	}
	if c.choice, err = surface.Choose(app.Members(), wish); err != nil {
		return config{}, err
	}
	if c.enroll, err = f.enrollPanes(c.choice); err != nil {
		return config{}, err
	}
	c.enrollmentLife = time.Duration(f.EnrollmentTimeout * float64(time.Second))
	if c.tmuxConfig, err = absolute(env, "LIBTMUX_TMUX_CONFIG"); err != nil {
		return config{}, err
	}
	if c.socketPath, c.selected, err = f.socket(env); err != nil {
		return config{}, err
	}
	_, err = cli.New(cli.Options{SocketPath: c.socketPath}) // touches nothing, and refuses what tmux could never use
	return c, err
}

// socket resolves which socket is meant, and how it was selected.
func (f serveFlags) socket(env map[string]string) (string, selection, error) {
	switch {
	case f.Socket != nil && f.SocketName != nil:
		return "", "", fmt.Errorf("--socket and --socket-name exclude each other")
	case f.Socket != nil:
		if !filepath.IsAbs(*f.Socket) {
			return "", "", fmt.Errorf("--socket %q is not an absolute path (a name goes to --socket-name)", *f.Socket)
		}
		return *f.Socket, selectedByFlag, nil
	case f.SocketName != nil:
		path, err := cli.SocketPath(*f.SocketName)
		return path, selectedByFlag, err
	}
	name, named := env["LIBTMUX_SOCKET"]
	path, err := absolute(env, "LIBTMUX_SOCKET_PATH")
	switch {
	case err != nil:
		return "", "", err
	case named && path != "":
		return "", "", fmt.Errorf("LIBTMUX_SOCKET and LIBTMUX_SOCKET_PATH exclude each other")
	case path != "":
		return path, selectedByEnvironment, nil
	case named:
		path, err := cli.SocketPath(name)
		return path, selectedByEnvironment, err
	}
	path, err = cli.SocketPath(dedicatedSocket)
	return path, selectedByDefault, err
}

// absolute reads an environment variable that, if set, must be an absolute path.
func absolute(env map[string]string, name string) (string, error) {
	path, set := env[name]
	if set && !filepath.IsAbs(path) {
		return "", fmt.Errorf("%s %q is not an absolute path", name, path)
	}
	return path, nil
}

// oneLine joins what a parser said over several lines.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }
