/** The engine's log; a pino logger fits. */
export interface DeliveryLog {
  info(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
