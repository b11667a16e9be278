/** What the engine tells its operator; pino has it. */
export interface Log {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
