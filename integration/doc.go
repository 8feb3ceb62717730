// Package integration holds the tests that need a real tmux: contract suites, the main job in every shell, and the
// built binary over pipes. They carry the build tag "integration" and run by "make test-real", against each
// tmux named in TMUX_BINARIES (paths separated by commas; default: the one on PATH).
package integration
