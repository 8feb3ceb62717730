package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/samber/lo"
)

// A client is an MCP client that can be told to start this server.
type client struct {
	where string                              // what is to be done with what config answers
	write func(argv []string) (string, error) // the command or the snippet
}

// clients are those that client-config knows. Source: their documentation.
var clients = map[string]client{
	"claude-code":    {"run", command("claude", "mcp", "add", "tmux", "--")},
	"claude-desktop": {"add to claude_desktop_config.json (Settings, Developer, Edit Config)", snippet("mcpServers")},
	"codex":          {"run", command("codex", "mcp", "add", "tmux", "--")},
	"cursor":         {"add to ~/.cursor/mcp.json", snippet("mcpServers")},
	"gemini":         {"add to ~/.gemini/settings.json", snippet("mcpServers")},
	"vscode":         {"add to .vscode/mcp.json, or to what the command \"MCP: Open User Configuration\" shows", snippet("servers")},
}

// clientConfig prints the command that adds this server to a client, or what to add to the client's configuration; on standard error, what to
// do with it.
func clientConfig(out io.Writer, flags clientFlags) error {
	executable, err := os.Executable()
	if err != nil {
		return err
	}
	c := clients[flags.Client]
	text, err := c.write(append([]string{executable}, flags.Args...))
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%s: %s:\n", flags.Client, c.where)
	_, err = fmt.Fprintln(out, text)
	return err
}

// command is a command line that ends with the server's.
func command(prefix ...string) func([]string) (string, error) {
	return func(argv []string) (string, error) {
		return strings.Join(append(prefix, lo.Map(argv, func(argument string, _ int) string { return quoted(argument) })...), " "), nil
	}
}

// snippet is JSON that names the server's command line under key.
func snippet(key string) func([]string) (string, error) {
	type server struct {
		Command string   `json:"command"`
		Args    []string `json:"args,omitempty"`
	}
	return func(argv []string) (string, error) {
		text, err := json.MarshalIndent(map[string]map[string]server{key: {"tmux": {argv[0], argv[1:]}}}, "", "  ")
		return string(text), err
	}
}

var plain = regexp.MustCompile(`^[\w@%+=:,./-]+$`)

// quoted is an argument as a POSIX shell reads it.
func quoted(argument string) string {
	if plain.MatchString(argument) {
		return argument
	}
	return "'" + strings.ReplaceAll(argument, "'", `'\''`) + "'"
}
