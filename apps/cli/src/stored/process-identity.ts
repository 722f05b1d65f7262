/** A process as a store of runs names it. */
export interface ProcessIdentity {
  readonly pid: number
  readonly host: string
  /** Whether a process of this machine runs. */
  isAlive(pid: number): boolean
}
