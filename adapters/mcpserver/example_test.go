package mcpserver_test

import (
	"context"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/libtmux-mcp/libtmux-mcp/adapters/fake"
	"github.com/libtmux-mcp/libtmux-mcp/adapters/mcpserver"
	"github.com/libtmux-mcp/libtmux-mcp/app"
	"github.com/libtmux-mcp/libtmux-mcp/domain/surface"
)

// A program serves tools of its choice over a tmux that is its own: here one in memory, so that it needs none.
func Example() {
	ctx := context.Background()
	world := fake.New(fake.Options{})
	defer world.Close()
	choice, err := surface.Choose(app.Members(), surface.Wish{Exact: []string{"tmux_capabilities", "tmux_create", "tmux_send"}})
	if err != nil {
		panic(err)
	}
	selection := choice.Freeze("")
	application := app.New(app.Ports{
		Reader: world, Input: world, Creator: world, Processes: world, Identity: world, Frames: world,
	}, app.Options{Surface: &selection})
	defer application.Close()

	serverEnd, clientEnd := mcp.NewInMemoryTransports()
	serving, err := mcpserver.New(ctx, application, mcpserver.Options{}).Connect(ctx, serverEnd, nil)
	if err != nil {
		panic(err)
	}
	defer serving.Close()
	client, err := mcp.NewClient(&mcp.Implementation{Name: "example", Version: "1"}, nil).Connect(ctx, clientEnd, nil)
	if err != nil {
		panic(err)
	}
	defer client.Close()
	tools, err := client.ListTools(ctx, nil)
	if err != nil {
		panic(err)
	}
	for _, tool := range tools.Tools {
		fmt.Println(tool.Name)
	}

	created, err := application.TmuxCreate(ctx, app.TmuxCreateIn{Kind: "session", Argv: []string{"cat"}})
	if err != nil {
		panic(err)
	}
	pane := created.Created[2]
	sent, err := application.TmuxSend(ctx, app.TmuxSendIn{Reference: app.Reference{Generation: string(pane.Generation), TargetID: pane.ID}, Keys: []string{"h", "i"}})
	fmt.Println(pane.Kind, pane.ID, sent.Delivery, err)
	_, err = application.ListPanes(ctx, app.ListPanesIn{})
	fmt.Println(err)
	// Output:
	// tmux_capabilities
	// tmux_create
	// tmux_send
	// pane %0 observed <nil>
	// list_panes is not on offer: the selection of tools withholds it
}
