import { Client, type JsonSchemaValidator, type VersionNegotiationMode } from '@modelcontextprotocol/client'

/**
 * Accepts every value, so that the SDK compiles no schemas from the server: their regular expressions could
 * run forever.
 */
const NO_VALIDATION = {
  getValidator<T>(): JsonSchemaValidator<T> {
    return (input) => ({ valid: true, data: input as T, errorMessage: undefined })
  },
}

/**
 * Creates an unconnected client. It offers neither roots nor sampling, because several root runs may share
 * its connection. Elicitations are routed to the run whose call caused them.
 */
export function createClient(
  info: { readonly name: string; readonly version: string },
  options: {
    readonly mode: VersionNegotiationMode
    /** Time limit for the protocol probe, in ms. */
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
