import { toWireName, type JsonObject, type RunEvent } from '@troupe/schema'

/** A tool call that an agent of a run requested. */
export interface RequestedCall {
  /** The instance that made the call, such as `librarian` or `clerk[0]`. */
  readonly instance: string
  /** Canonical name. */
  readonly tool: string
  /** Name of the tool if it is an agent whose card sets `toolName`. */
  readonly calledAs?: string
  readonly args: JsonObject
}

/** Returns all tool calls of a run and the runs below it, in the order of the requests. */
export function requestedCalls(events: readonly RunEvent[]): readonly RequestedCall[] {
  return events.flatMap((event) =>
    event.type === 'tool-call'
      ? {
          instance: event.instance,
          tool: event.toolName,
          args: event.args,
          ...(event.calledAs === undefined ? {} : { calledAs: event.calledAs }),
        }
      : [],
  )
}

/** Returns true for a call of this tool, given by its canonical name or by the name that the model sees. */
export function isCallOf(tool: string, call: RequestedCall): boolean {
  return tool === call.tool || tool === call.calledAs || tool === toWireName(call.tool)
}
