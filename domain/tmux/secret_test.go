package tmux_test

import (
	"testing"

	"github.com/libtmux-mcp/libtmux-mcp/domain/tmux"
)

func TestLooksSecret(t *testing.T) {
	for _, c := range []struct {
		name, value string
		want        bool
	}{
		{"GITHUB_TOKEN", "x", true},
		{"AWS_SECRET_ACCESS_KEY", "x", true},
		{"AWS_ACCESS_KEY_ID", "x", true},
		{"OPENAI_API_KEY", "x", true},
		{"db_password", "x", true},
		{"PGPASSWORD", "x", true},
		{"MYSQL_PWD", "x", true},
		{"SENTRY_DSN", "x", true},
		{"NPM_AUTH", "x", true},
		{"DATABASE_URL", "postgres://me:hunter2@db/x", true},
		{"http_proxy", "http://user:pass@proxy:3128", true},
		{"DEPLOY", "-----BEGIN OPENSSH PRIVATE KEY-----", true},
		{"HOME", "/home/me", false},
		{"PWD", "/home/me", false},
		{"PATH", "/bin:/usr/bin", false},
		{"SSH_AUTH_SOCK", "/tmp/ssh/agent", false},
		{"XAUTHORITY", "/home/me/.Xauthority", false},
		{"KEYBOARD", "us", false},
		{"COMPASS", "north", false},
		{"URL", "https://example.org/a:b@c", false},
	} {
		if got := tmux.LooksSecret(c.name, c.value); got != c.want {
			t.Errorf("%s=%s: got %t", c.name, c.value, got)
		}
	}
}

func TestIsVariable(t *testing.T) {
	for name, want := range map[string]bool{
		"pid": true, "pane_pid": true, "window_layout": true, "@mine": true, "pane_z": true,
		"": false, "PATH": false, "http_proxy": false, "mouse": false, "#{pid}": false, "#(touch X)": false, "client_name": false, "buffer_sample": false,
		"pane_pid}#(touch X)#{pid": false, "q:pane_title": false, "@a}": false,
	} {
		if got := tmux.IsVariable(name); got != want {
			t.Errorf("%q: got %t", name, got)
		}
	}
}
