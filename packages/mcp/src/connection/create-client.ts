import { Client, type JsonSchemaValidator, type VersionNegotiationMode } from '@modelcontextprotocol/client'

/** Accepts everything: results are not held against schemas of the server's making, whose patterns could take for ever, and none is compiled. */
const NO_VALIDATION = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined })
  },
}

/**
 * A client that is not connected yet. It offers no roots and no sampling: its connection may serve several roots
 * (R1). Questions for a person go to the one whose call they belong to.
 */
export function createClient(
  info: { readonly name: string; readonly version: string },
  options: {
    readonly mode: VersionNegotiationMode
    /** How long the question which protocol a server speaks may stay without answer, in ms. */
    readonly probeTimeout: number
  },
): Client {
  return new Client(
    { name: info.name, version: info.version },
    {
      capabilities: { elicitation: { form: {} } },
      jsonSchemaValidator: NO_VALIDATION,
      versionNegotiation: {
        mode: options.mode,
        probe: { timeoutMs: options.probeTimeout },
      },
    },
  )
}
