// Package mesh holds triangle meshes of the plane: the inputs and results of
// mesh refinement. It reads and writes the files in which they are exchanged,
// makes them from points, checks everything that can be wrong with one, and
// draws them.
//
// A [Mesh] has nodes with coordinates, triangles of three nodes in
// counter-clockwise order, and segments: edges that must stay, such as those of
// the boundary.
//
//	3 +-----+ 2      X  0 1 1 0
//	  |   / |        Y  0 0 1 1
//	  |  /  |        Triangles  {0 1 2} {0 2 3}
//	  | /   |        Segments   {0 1} {1 2} {2 3} {3 0}
//	0 +-----+ 1
//
// [Open] and [Write] take the files of the program Triangle (.node, .ele, .poly and,
// to read, .edge, together) and the grids of the ocean models SCHISM and ADCIRC (.gr3,
// .grd, .14), compressed or not. [Generate] makes the Delaunay triangulation of
// random points, [Delaunay] that of any, [Mesh.MakeDelaunay] that of a mesh that
// was drawn by other rules. [Refine] adds nodes until all angles that can be
// enlarged are large; it uses one processor, and is the reference for programs
// that use many.
//
// [Orient2D] and [InCircle] are the predicates that geometry programs rest on,
// exact for all finite numbers. [Check] uses them to tell, exactly, whether a
// mesh is a triangulation: no triangle inverted, no two overlapping, none
// joined to another by part of an edge; whether it is Delaunay; and whether a
// refined mesh has kept the nodes, the area and the boundary of its input.
// [Mesh.Quality] measures angles, and [Mesh.Fixable] tells which small ones
// come from the input and cannot be avoided. [WriteSVG] draws a picture.
//
// Segments are what refinement keeps. Files rarely list all: those of the boundary and
// of borders between regions, which show in the attributes of triangles, are found by
// [Mesh.AddBoundary]. [Mesh.Inherit] gives a refined mesh the markers, attributes and
// boundary lists of its input. [Mesh.Notes] and [Mesh.Losses] say what a file or a
// format does not tell.
//
// [Mesh.Elements] gives the form that refinement works on: triangles and
// segments as elements of one kind, each with its neighbours.
//
// What is refused, with file and line: anything malformed, numbers that are
// not finite, a header that promises more than the file can hold, triangles of
// six nodes. No input makes the package panic, or loop. What is accepted may
// still be no triangulation: that is for Check to say.
//
// The triangulation is our own because no Go library was to be had that is free
// of cgo, has exact predicates, and takes seconds for a million points. One that
// rounds fails, sooner or later, on points of a grid or of a circle.
package mesh
