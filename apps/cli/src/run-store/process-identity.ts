/** Identity of this process in a run store. */
export interface ProcessIdentity {
  readonly pid: number
  readonly host: string
  /** Returns true if a process is running on this machine. */
  isAlive(pid: number): boolean
}
