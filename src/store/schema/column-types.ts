/** `Generated` columns have a default. Times are Unix seconds, nested values JSON text. */
export type BooleanColumn = 0 | 1;

export interface Timestamps {
  created_at: number;
  updated_at: number;
}
