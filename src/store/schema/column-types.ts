/**
 * `Generated` columns have a default. Both databases store booleans as 0 and 1, times as Unix seconds, and nested values as
 * JSON text.
 */
export type BooleanColumn = 0 | 1;

export interface Timestamps {
  created_at: number;
  updated_at: number;
}
