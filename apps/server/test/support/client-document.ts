/** An OpenAPI document, as far as these tests read it. */
export interface OpenApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly responses: Readonly<Record<string, OpenApiResponse>>
  }
}

/** An operation of an {@link OpenApiDocument}. */
export interface OpenApiOperation {
  readonly operationId: string
  readonly tags: readonly string[]
  readonly responses: Readonly<Record<string, OpenApiResponse | { readonly $ref: string }>>
}

/** A response of an {@link OpenApiOperation}. */
interface OpenApiResponse {
  readonly content?: Readonly<Record<string, { readonly schema: object }>>
}

/** Tags of the operations that `@troupe/client` has methods for. */
const CLIENT_TAGS: ReadonlySet<string> = new Set([
  'Run control',
  'Cards',
  'Schedules',
  'Evaluations',
  'Notifications',
])

/** Returns the part of a document that `@troupe/client` uses, without error responses, which are all alike. */
export function clientDocument({ components, ...document }: OpenApiDocument): OpenApiDocument {
  const paths = Object.fromEntries(
    Object.entries(document.paths)
      .map(([path, operations]) => [path, clientOperations(operations)] as const)
      .filter(([, operations]) => Object.keys(operations).length > 0),
  )
  const names = new Set(['Failure'])
  const addNames = (value: object): void => {
    for (const [, name = ''] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/([^"]+)"/gu)) {
      if (names.has(name)) continue
      names.add(name)
      addNames(components.schemas[name] ?? {})
    }
  }
  addNames(paths)
  addNames(components.schemas['Failure'] ?? {})
  const schemas = Object.entries(components.schemas).filter(([name]) => names.has(name))
  return { ...document, paths, components: { schemas: Object.fromEntries(schemas), responses: {} } }
}

function clientOperations(
  operations: Readonly<Record<string, OpenApiOperation>>,
): Readonly<Record<string, OpenApiOperation>> {
  return Object.fromEntries(
    Object.entries(operations)
      .filter(([, { tags }]) => tags.some((tag) => CLIENT_TAGS.has(tag)))
      .map(([method, { responses, ...operation }]) => [
        method,
        {
          ...operation,
          responses: Object.fromEntries(Object.entries(responses).filter(([status]) => Number(status) < 400)),
        },
      ]),
  )
}
