/** A JSON Schema of an OpenAPI document, as far as the page shows it. */
interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

/** A response of an operation: a reference to a shared one, or its own. */
interface ShownResponse {
  readonly $ref?: string
  readonly description?: string
  readonly content?: Readonly<Record<string, { readonly schema?: Schema }>>
}

/** An operation of an OpenAPI document, as far as the page shows it. */
interface ShownOperation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required: boolean
    readonly schema: Schema
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema?: Schema }>> }
  readonly responses: Readonly<Record<string, ShownResponse>>
}

/** An OpenAPI document, as far as the page shows it. */
export interface ShownDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ShownOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, ShownResponse>>
  }
}

/** Types with a page of their own. */
const PAGES: ReadonlyMap<string, string> = new Map([
  ['ErrorCode', '../errors.md'],
  ['RunEvent', '../events.md'],
])

/** Returns the reference of an HTTP API in Markdown: the operations of each tag, then the types that they name. */
export function httpApiText({ paths, components }: ShownDocument): string {
  const named = new Set<string>()
  const format = createFormat(named)
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      ...operation,
    })),
  )
  const tags = [...new Set(operations.flatMap(({ tags: [tag = ''] }) => tag))]
  const sections = tags.flatMap((tag) => [
    `## ${tag}`,
    ...operations
      .filter(({ tags: [first] }) => first === tag)
      .map((operation) => operationText(operation, components.schemas, format)),
  ])
  const types: string[] = []
  // a set also iterates over what is added to it on the way
  for (const name of named)
    if (!PAGES.has(name)) types.push(typeText(name, components.schemas[name] ?? {}, format))
  return [
    ...sections,
    '## Types',
    ...types.toSorted(),
    '## Status codes of errors',
    statusTable(components),
  ].join('\n\n')
}

function operationText(
  {
    path,
    method,
    operationId,
    summary,
    parameters = [],
    requestBody,
    responses,
  }: ShownOperation & {
    readonly path: string
    readonly method: string
  },
  schemas: Readonly<Record<string, Schema>>,
  format: Format,
): string {
  const body = requestBody?.content['application/json']?.schema
  const answers = Object.entries(responses).filter(([status]) => Number(status) < 400)
  const errors = Object.keys(responses).filter((status) => Number(status) >= 400)
  return [
    `### ${method} ${path}`,
    `${summary}. Operation \`${operationId}\`.`,
    parameters.length === 0
      ? ''
      : table(
          ['parameter', 'in', 'type', 'required', 'description'],
          parameters.map(({ name, in: place, required, schema }) => [
            `\`${name}\``,
            place,
            format.type(schema),
            required ? 'yes' : 'no',
            format.note(schema),
          ]),
        ),
    body === undefined ? '' : `Body: ${format.type(body)}`,
    answers
      .map(([status, { description = '', content = {} }]) => {
        const types = Object.entries(content).map(
          ([media, { schema = {} }]) => `\`${media}\`: ${format.type(schema)}`,
        )
        return [`- ${status}: ${description}`, ...(types.length === 0 ? [] : [types.join('; ')])].join('. ')
      })
      .join('\n'),
    errors.length === 0 ? '' : `Errors: ${errors.join(', ')}.`,
    `\`\`\`sh\n${exampleText({ path, method, parameters, body }, schemas)}\n\`\`\``,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Returns a command with the required parameters and the required fields of the body. */
function exampleText(
  {
    path,
    method,
    parameters,
    body,
  }: {
    readonly path: string
    readonly method: string
    readonly parameters: NonNullable<ShownOperation['parameters']>
    readonly body: Schema | undefined
  },
  schemas: Readonly<Record<string, Schema>>,
): string {
  const query = parameters.filter((each) => each.in === 'query' && (each.required || each.name === 'q'))
  const search = query.map(
    ({ name, schema }) => `${name}=${encodeURIComponent(String(sample(schema, schemas)))}`,
  )
  const url = `$TROUPE_URL${path.replaceAll('{', '<').replaceAll('}', '>')}${search.length > 0 ? `?${search.join('&')}` : ''}`
  const flags = method === 'GET' ? '' : `-X ${method} `
  if (body === undefined) return `curl -s ${flags}"${url}"`
  const data = JSON.stringify(sample(body, schemas)).replaceAll("'", String.raw`'\''`)
  return `curl -s ${flags}-H 'Content-Type: application/json' -d '${data}' "${url}"`
}

/** Returns a small value of a schema. */
function sample(schema: Schema, schemas: Readonly<Record<string, Schema>>): unknown {
  const {
    $ref,
    const: fixed,
    enum: choices,
    anyOf,
    oneOf,
    allOf,
    properties = {},
    required = [],
    items,
  } = schema
  if ($ref !== undefined) return sample(schemas[nameOf($ref)] ?? {}, schemas)
  if (fixed !== undefined) return fixed
  if (choices !== undefined) return choices.includes('user') ? 'user' : choices[0]
  const [first] = anyOf ?? oneOf ?? allOf ?? []
  if (first !== undefined) return sample(first, schemas)
  if (schema.type === 'array') return items === undefined ? [] : [sample(items, schemas)]
  if (schema.type === 'string') return 'text'
  if (schema.type === 'boolean') return true
  if (schema.type === 'integer' || schema.type === 'number') return 1
  const shown = required.length === 0 && 'q' in properties ? ['q'] : required
  return Object.fromEntries(shown.map((name) => [name, sample(properties[name] ?? {}, schemas)]))
}

function typeText(name: string, schema: Schema, format: Format): string {
  const { description, allOf = [] } = schema
  const properties = Object.assign({}, schema.properties, ...allOf.map((part) => part.properties)) as Record<
    string,
    Schema
  >
  const required = new Set([schema, ...allOf].flatMap((part) => part.required ?? []))
  const rows = Object.entries(properties).map(([field, value]) => [
    `\`${field}\``,
    format.type(value),
    required.has(field) ? 'yes' : 'no',
    format.note(value),
  ])
  const text =
    rows.length === 0 ? format.type(schema) : table(['field', 'type', 'required', 'description'], rows)
  return [`### ${name}`, ...(description === undefined ? [] : [description]), text].join('\n\n')
}

function statusTable({ responses }: ShownDocument['components']): string {
  const rows = Object.entries(responses)
    .filter(([name]) => /^Error\d+$/u.test(name))
    .map(([name, { description = '' }]) => [name.replace('Error', ''), description] as const)
  return table(
    ['status', 'meaning'],
    rows.toSorted(([a], [b]) => a.localeCompare(b)),
  )
}

/** Writes schemas as text of a table cell. */
interface Format {
  type(schema: Schema): string
  note(schema: Schema): string
}

/** Creates a format that adds the types it names to `named`. */
function createFormat(named: Set<string>): Format {
  const type = (schema: Schema): string => {
    const { $ref, const: fixed, enum: choices, items, properties } = schema
    if ($ref !== undefined) {
      const name = nameOf($ref)
      named.add(name)
      return `[${name}](${PAGES.get(name) ?? `#${name.toLowerCase()}`})`
    }
    if (fixed !== undefined) return code(fixed)
    if (choices !== undefined) return choices.map(code).join(', ')
    const parts = schema.anyOf ?? schema.oneOf
    if (parts !== undefined) return [...new Set(parts.map(type))].join(' or ')
    if (schema.allOf !== undefined) return schema.allOf.map(type).join(' and ')
    if (items !== undefined) return `list of ${type(items)}`
    if (properties !== undefined && Object.keys(properties).length > 0)
      return `object with ${Object.keys(properties).map(code).join(', ')}`
    return [schema.type ?? 'any JSON'].flat().join(' or ')
  }
  const note = ({ description = '', default: preset }: Schema): string =>
    [description, preset === undefined ? '' : `Default: ${code(preset)}.`]
      .filter((part) => part !== '')
      .join(' ')
  return { type, note }
}

function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``
}

function nameOf(ref: string): string {
  return ref.replace(/^.*\//u, '')
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, head.map(() => '---'), ...rows]
  return lines
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`)
    .join('\n')
}
