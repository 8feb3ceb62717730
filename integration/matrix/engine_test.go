//go:build matrix

package matrix_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/moby/moby/api/pkg/stdcopy"
	"github.com/moby/moby/api/types/container"
	"github.com/moby/moby/client"
	"github.com/testcontainers/testcontainers-go"
	"github.com/testcontainers/testcontainers-go/log"

	"github.com/libtmux-mcp/libtmux-mcp/integration/matrix"
)

const (
	probeBound = 2 * time.Second // for an engine to say that it is there
	stepBound  = 2 * time.Minute // for a step that takes a second at most where nobody else is at work
	leaseTime  = 5 * time.Minute // after which a container ends and removes itself, unless the test renews it
)

// An engine is a Docker engine that answered.
type engine struct {
	*testcontainers.DockerClient
	arch string // of its containers, as Go names it
	room int    // how many cells its memory holds beside each other; -parallel bounds them too
}

// findEngine probes for an engine, once. A daemon that hangs is one that is not there.
var findEngine = sync.OnceValues(func() (engine, error) {
	ctx, cancel := context.WithTimeout(context.Background(), probeBound)
	defer cancel()
	if os.Getenv("DOCKER_HOST") != "" { // the one that is meant: testcontainers would look for another
		named, err := client.New(client.FromEnv)
		if err != nil {
			return engine{}, fmt.Errorf("DOCKER_HOST: %w", err)
		}
		defer named.Close()
		if _, err := named.Ping(ctx, client.PingOptions{}); err != nil {
			return engine{}, fmt.Errorf("no Docker engine answers: %w", err)
		}
	}
	docker, err := testcontainers.NewDockerClientWithOpts(ctx)
	if err != nil {
		return engine{}, fmt.Errorf("no Docker engine answers: %w", err)
	}
	version, err := docker.ServerVersion(ctx, client.ServerVersionOptions{})
	if err != nil {
		return engine{}, fmt.Errorf("no Docker engine answers: %w", err)
	}
	info, err := docker.Info(ctx, client.InfoOptions{})
	if err != nil {
		return engine{}, fmt.Errorf("no Docker engine answers: %w", err)
	}
	const memory = 1 << 30 // of a cell at its busiest, and room to spare
	return engine{DockerClient: docker, arch: version.Arch, room: max(1, int(info.Info.MemTotal/memory))}, nil
})

// A running is a cell's container.
type running struct {
	engine
	*testcontainers.DockerContainer
	cell matrix.Cell
}

// dir is where a cell has what was copied into it.
const dir = "/cell"

// leased is the command of a container: it ends once nobody has touched the lease for so many seconds.
const leased = `touch /lease; while test $(($(date +%%s) - $(stat -c %%Y /lease))) -lt %v; do sleep 1; done`

// start starts a cell's container, which ends with the test or its lease, with the files in it as executables.
func (e engine) start(t testing.TB, cell matrix.Cell, lease time.Duration, files ...string) running {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stepBound)
	defer cancel()
	var copied []testcontainers.ContainerFile
	for _, file := range files {
		copied = append(copied, testcontainers.ContainerFile{HostFilePath: file, ContainerFilePath: dir + "/" + filepath.Base(file), FileMode: 0o755})
	}
	scenarios, err := filepath.Glob(root + "/docs/scenarios/*")
	if err != nil || len(scenarios) == 0 {
		t.Fatalf("%d scenarios: %v", len(scenarios), err)
	}
	for _, file := range scenarios { // the tests read them from beside their own directory, which is /tmp there
		copied = append(copied, testcontainers.ContainerFile{HostFilePath: file, ContainerFilePath: "/docs/scenarios/" + filepath.Base(file), FileMode: 0o644})
	}
	init := true
	c, err := testcontainers.Run(ctx, cell.Image,
		testcontainers.WithEntrypoint("sh", "-c", fmt.Sprintf(leased, lease.Seconds())),
		testcontainers.WithCmd(),
		testcontainers.WithFiles(copied...),
		testcontainers.WithLabels(map[string]string{label: t.Name()}),
		testcontainers.WithHostConfigModifier(func(host *container.HostConfig) {
			host.AutoRemove = true
			host.Init = &init // reaps what tmux leaves to process 1
			host.NetworkMode = "none"
			// The tests make namespaces and look into other processes, as root does on a machine of its own.
			host.CapAdd = []string{"SYS_ADMIN", "SYS_PTRACE"}
			host.SecurityOpt = []string{"apparmor=unconfined", "seccomp=unconfined"} // a filter of system calls costs a tenth
		}),
	)
	testcontainers.CleanupContainer(t, c, testcontainers.StopTimeout(0))
	if err != nil {
		t.Fatalf("starting a container of %s: %v", cell.Image, err)
	}
	return running{engine: e, DockerContainer: c, cell: cell}
}

// keep renews the lease of the cell until the test ends.
func (r running) keep(t testing.TB, lease time.Duration) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	over := make(chan struct{})
	t.Cleanup(func() {
		cancel()
		<-over
	})
	go func() {
		defer close(over)
		for {
			select {
			case <-ctx.Done():
				return
			case <-time.After(lease / 5):
			}
			s, err := r.exec(ctx, io.Discard, io.Discard, nil, "touch", "/lease")
			if err == nil {
				_, err = s.wait(ctx)
			}
			if err != nil && ctx.Err() == nil {
				t.Logf("renewing the lease of %s: %v", r.cell.Title(), err) // its tests fail if it ends of that
			}
		}
	}()
}

// label marks this package's containers; its value is the name of the test that started one.
const label = "libtmux-mcp.matrix"

// A session is a process in a cell, attached to.
type session struct {
	io.WriteCloser // its standard input
	running
	id     string
	copied chan error
}

// exec starts argv in the cell. The process is gone when the context is done or the container ends.
func (r running) exec(ctx context.Context, stdout, stderr io.Writer, env []string, argv ...string) (*session, error) {
	created, err := r.ExecCreate(ctx, r.ID, client.ExecCreateOptions{
		AttachStdin: true, AttachStdout: true, AttachStderr: true, Cmd: argv, Env: env, WorkingDir: "/tmp",
	})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", argv[0], err)
	}
	attached, err := r.ExecAttach(ctx, created.ID, client.ExecAttachOptions{})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", argv[0], err)
	}
	s := &session{WriteCloser: halfCloser{attached.HijackedResponse}, running: r, id: created.ID, copied: make(chan error, 1)}
	stop := context.AfterFunc(ctx, attached.Close)
	go func() {
		_, err := stdcopy.StdCopy(stdout, stderr, attached.Reader)
		if stop() {
			attached.Close()
		}
		s.copied <- errors.Join(err, context.Cause(ctx))
	}()
	return s, nil
}

// A halfCloser is what an attached process reads: closed, it reads an end of file and can still write.
type halfCloser struct{ client.HijackedResponse }

func (h halfCloser) Write(data []byte) (int, error) { return h.Conn.Write(data) }
func (h halfCloser) Close() error                   { return h.CloseWrite() }

// wait waits until the process has closed its outputs, and gives its exit status.
func (s *session) wait(ctx context.Context) (status int, err error) {
	if err := <-s.copied; err != nil {
		return -1, err
	}
	for {
		seen, err := s.ExecInspect(ctx, s.id, client.ExecInspectOptions{})
		if err != nil || !seen.Running {
			return seen.ExitCode, err
		}
		<-time.After(5 * time.Millisecond) // polls another process: there is no event to wait for
	}
}

// output runs argv and gives what it printed, on both of its outputs.
func (r running) output(t testing.TB, argv ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), stepBound)
	defer cancel()
	var out strings.Builder
	s, err := r.exec(ctx, &out, &out, nil, argv...)
	if err != nil {
		t.Fatal(err)
	}
	if status, err := s.wait(ctx); err != nil || status != 0 {
		t.Fatalf("%q in %s: status %d, %v\n%s", argv, r.cell.Title(), status, err, out.String())
	}
	return strings.TrimSpace(out.String())
}

// tests runs a test binary, hands out its tests as they end, and fails if it ran none, or failed without a failed test.
func (r running) tests(ctx context.Context, env []string, ended func(matrix.Top), argv ...string) error {
	read, write := io.Pipe()
	convert := exec.CommandContext(ctx, "go", "tool", "test2json", "-t")
	convert.Stdin, convert.Stderr = read, os.Stderr
	events, err := convert.StdoutPipe()
	if err != nil {
		return err
	}
	if err := convert.Start(); err != nil {
		return err
	}
	s, err := r.exec(ctx, write, write, env, append(argv, "-test.v=test2json")...)
	if err != nil {
		return errors.Join(err, write.Close(), convert.Wait())
	}
	status := make(chan error, 1)
	go func() {
		code, err := s.wait(ctx)
		if err == nil && code != 0 {
			err = fmt.Errorf("the test binary ended with status %d", code)
		}
		_ = write.Close() // of a pipe in memory: never fails
		status <- err
	}()
	failed := false
	stray, err := matrix.ReadTests(events, func(top matrix.Top) {
		failed = failed || top.Outcome == matrix.Failed
		ended(top)
	})
	err = errors.Join(err, convert.Wait())
	if ending := <-status; !failed || ctx.Err() != nil {
		err = errors.Join(err, ending)
	}
	if err != nil {
		return fmt.Errorf("%w; it printed:\n%s", err, stray)
	}
	return nil
}

// TestMain keeps the client library quiet, and from starting a container of its own that would be left: every cell
// removes itself.
func TestMain(m *testing.M) {
	log.SetDefault(log.NewNoopLogger())
	if err := os.Setenv("TESTCONTAINERS_RYUK_DISABLED", "true"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}
