// Package matrix runs the integration tests in containers of real tmux, one cell a version. Its tests carry the build
// tag "matrix", need a Docker engine, and run by "make matrix"; .ci/images makes the images of the cells.
//
// What a cell is stands in the file cells alone. The test binary is that of package integration, built once and copied
// into each cell beside the server: a suite that is added there runs in every cell by itself, with -test.short: what is done many times
// only to catch what is rare is done a few times there, and combinations of cases with shells or with backends take turns.
//
// The environment may name more:
//
//	EXTRA_CELLS="3.4=IMAGE,3.6b=IMAGE"  local images that hold such a tmux; a cell of the table gets that image
//	REQUIRE_CELLS="3.3a 3.5a"           cells that must run: what would skip them fails
//	FULL=1                              every combination, every time, as "make test-real" does on a machine
//
// A cell that is named for a Debian suite holds another tmux every month. What fails in it is reported, and fails the run only if
// the cell is required.
package matrix
