import { readFileSync, writeFileSync } from "node:fs";
import { allOperations } from "../src/contract/rooms.ts";
import { withOperationsTable } from "./operations-table.ts";

const readme = new URL("../README.md", import.meta.url);
writeFileSync(readme, withOperationsTable(readFileSync(readme, "utf8"), await allOperations()));
