package programs

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"irgl/internal/run"
	"irgl/mesh"
)

// verifyDMR checks that the refined mesh is a Delaunay triangulation of the
// input's area with its points and segments, in which no angle that could be
// mended is below the bound. New points on segments are rounded, which can
// leave an edge beside one that is not Delaunay by a hair.
func verifyDMR(ctx context.Context, in run.Input, res *run.Result) error {
	if in.Mesh == nil || res.Mesh == nil {
		return errors.New("there is no mesh")
	}
	input, err := in.Mesh.Triangulation()
	if err != nil {
		return fmt.Errorf("the input: %w", err)
	}
	m, err := res.Mesh.Triangulation()
	if err != nil {
		return err
	}
	report, err := mesh.Check(ctx, m, mesh.CheckOptions{
		Delaunay: true, DelaunayTolerance: 1e-6, MinAngle: in.Args[0].Float, Input: input,
	})
	if err != nil || report.OK() {
		return err
	}
	return errors.New(strings.TrimSpace(report.String()))
}
