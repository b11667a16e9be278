import { z } from "zod";
import { created, cursorInput, cursorList, departmentBrief, id, line, reference } from "./common-schemas.ts";
import { imageOperations } from "./image-operations.ts";
import { operation, operationGroup } from "./operation.ts";
import {
  department,
  departmentName,
  treeUnit,
  unit,
  unitDetails,
  unitName,
  unitRow,
  unitType,
} from "./unit-schemas.ts";
import { importResult, importRows } from "./user-schemas.ts";

const image = imageOperations({ owner: "unit", noun: "image", access: { ability: "units", at: [{ unit: "id" }] } });

export const units = operationGroup("units", {
  list: operation("GET", "/units", "List units", {
    description: "Units are sorted by ID.",
    access: "signed_in",
    input: () => ({
      parent: id("units").optional().describe("Only children of this unit"),
      below: id("units").optional().describe("Only units on any level below this unit"),
      unit_type: unitType().optional().describe("Only units of this kind"),
      name: line(255, 1).optional().describe("Only units whose name begins with this text"),
      ...cursorInput(),
    }),
    ...cursorList(unit),
  }),
  get: operation("GET", "/units/{id}", "Get a unit", {
    access: "signed_in",
    input: () => ({ id: id("units") }),
    output: unit,
  }),
  reference: operation("GET", "/units/reference/{unit=reference}", "Get a unit by reference", {
    access: "signed_in",
    input: () => ({ reference: reference() }),
    output: unit,
  }),
  tree: operation("GET", "/units/tree", "List a branch of the unit tree", {
    description: "Each unit is followed by the units below it.",
    access: "signed_in",
    input: () => ({
      unit: id("units").optional().describe("Unit at the top (default the root)"),
      depth: z.int().min(0).max(100).optional().describe("Number of levels below the top (default all)"),
      ...cursorInput(500, 500),
    }),
    ...cursorList(treeUnit),
  }),
  children: operation("GET", "/units/{id}/children", "List the children of a unit", {
    access: "signed_in",
    input: () => ({ id: id("units"), ...cursorInput() }),
    ...cursorList(unit),
  }),
  create: operation("POST", "/units", "Create a unit", {
    access: { ability: "units", at: [{ unit: "parent" }] },
    input: () => ({ name: unitName(), parent: id("units").describe("Parent unit"), ...unitDetails() }),
    ...created(unit, "/units/{id}"),
  }),
  update: operation("PATCH", "/units/{id}", "Update a unit", {
    description:
      "Only the given fields change, of contact, opening hours and each address, too; null clears one of these, all addresses, or geo. Use move to change the parent. Webhooks get unit.update, but no user.update for members whose physicalUnit changes with unit_type. Changing a reference that is set needs the ability user in the unit, too, because imports find units by it.",
    access: { ability: "units", at: [{ unit: "id" }] },
    input: () => ({ id: id("units"), name: unitName().optional(), ...unitDetails() }),
    output: unit,
    errors: ["conflict"],
  }),
  move: operation("POST", "/units/{id}/move", "Move a unit and everything below it", {
    description:
      "Users with abilities at or above the new parent gain them in the moved unit. You need each ability that somebody gains in this way, in the moved unit. If you are a member of the unit or of one below it, and would read more after the move, you must be an administrator. Webhooks get unit.update for the moved unit, but not for the units below it, and no user.update for members whose physicalUnit changes.",
    access: { ability: "units", at: [{ unit: "id" }, { unit: "parent" }] },
    input: () => ({ id: id("units"), parent: id("units").describe("New parent") }),
    output: unit,
  }),
  delete: operation("DELETE", "/units/{id}", "Delete a unit", {
    description:
      "A unit with children or members can be deleted only if another unit receives them (transfer). A transfer also needs, in both units, the abilities that members have through the deleted unit and, in the deleted unit, those that anybody has at or above the receiving unit, as for a move. Only administrators can transfer themselves. The departments of the unit are deleted with it; members of both units keep the department and user types of the receiving one. Posts and events of the unit then belong to the receiving unit or, without one, to the parent. They are no longer published to members of the deleted unit: change their readers first if the members should still read them.",
    access: { ability: "units", at: [{ unit: "id" }, { unit: "transfer" }] },
    input: () => ({
      id: id("units"),
      transfer: id("units").optional().describe("Unit that receives the children and members"),
    }),
    errors: ["conflict"],
  }),
  imageSet: image.set,
  imageDelete: image.delete,
  departmentAdd: operation("POST", "/units/{id}/departments", "Add a department to a unit", {
    access: { ability: "units", at: [{ unit: "id" }] },
    input: () => ({ id: id("units"), name: departmentName() }),
    output: departmentBrief,
    status: 201,
  }),
  departmentUpdate: operation("PATCH", "/units/{id}/departments/{department}", "Rename a department", {
    access: { ability: "units", at: [{ unit: "id" }] },
    input: () => ({ ...department(), name: departmentName() }),
    output: departmentBrief,
    errors: ["conflict"],
  }),
  departmentRemove: operation("DELETE", "/units/{id}/departments/{department}", "Remove a department", {
    description: "Its members stay in the unit.",
    access: { ability: "units", at: [{ unit: "id" }] },
    input: department,
  }),
  import: operation("POST", "/units/import", "Create or update many units", {
    description:
      "Rows are matched by reference; a parent may follow its children. Valid rows are imported in one transaction; invalid rows are skipped, and the response has their issues. A row that moves a unit needs the same abilities as units.move.",
    access: { ability: "units" },
    input: () => ({
      rows: importRows(unitRow),
      assume: z
        .array(reference())
        .max(1000)
        .optional()
        .describe("In a dry run: references that an earlier part of the same import would create"),
    }),
    output: importResult,
    knownBy: "results",
    bodyLimit: 4_194_304,
  }),
});
