import openapiTS, { astToString, stringToAST, type OpenAPI3, type OpenAPITSOptions } from 'openapi-typescript'
import { expect, it } from 'vitest'
import { clientDocument, type OpenApiDocument } from './support/client-document.ts'
import { leadAndClerk, serveTeam } from './support/serve-team.ts'

/** A type in the syntax tree of the generator. */
type TypeNode = Extract<ReturnType<NonNullable<OpenAPITSOptions['transform']>>, { readonly kind: unknown }>

const HEADER = `/**
 * Types of the HTTP API, generated from the OpenAPI document of the server by openapi-typescript. Update them with
 * \`vitest run --project server client-types -u\`.
 */
`
const JSON_VALUE =
  'string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue }'

/** Parses a type for the generator. */
function typeNode(text: string): TypeNode {
  const [alias] = stringToAST(`type Alias = ${text}`) as readonly { readonly type: TypeNode }[]
  if (alias === undefined) throw new Error(`${text} is not a type.`)
  return alias.type
}

it('the types of @troupe/client are those of the OpenAPI document', async () => {
  const { url } = await serveTeam(leadAndClerk())
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as OpenApiDocument
  const types = await openapiTS(clientDocument(document) as unknown as OpenAPI3, {
    immutable: true,
    rootTypes: true,
    rootTypesNoSchemaPrefix: true,
    silent: true,
    inject: `type JsonValue = ${JSON_VALUE};\n`,
    transform: (_, { path }) => (path === '#/components/schemas/Json' ? typeNode('JsonValue') : undefined),
  })
  await expect(HEADER + astToString(types)).toMatchFileSnapshot(
    '../../../packages/client/src/openapi.generated.ts',
  )
})
