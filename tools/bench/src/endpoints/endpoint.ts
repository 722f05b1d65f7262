/** A server in this process that runs an agent for each request and streams what it says. */
export interface Endpoint {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Rejects when its own records are not those of so many requests. */
  close(requests: number): Promise<void>
}
