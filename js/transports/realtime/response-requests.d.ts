/**
 * Requests for responses of a Realtime model. The service makes one response at a time and refuses another; a refused request is
 * made again once the model is at rest. Requests that wait are one request.
 */
export class ResponseRequests {
  constructor(send: (event: { type: 'response.create'; event_id: string }) => void)
  /** The id of a response in progress, or `null`. */
  get active(): string | null
  /** Whether a response is in progress or requested. */
  get isBusy(): boolean
  /** Requests a response, as soon as none is in progress. Returns the event that was sent, or `null`. */
  request(): object | null
  /** Drops a waiting request. */
  drop(): void
  /** A response has begun. */
  created(id: string): void
  /** A response is over; `isWanted`: it wants another one. Returns the event that was sent, or `null`. */
  done(id: string, isWanted?: boolean): object | null
  /** Reads an error of the service. Returns the event that was sent, or `null`. */
  failed(error: { code?: unknown; event_id?: unknown }): object | null
}
