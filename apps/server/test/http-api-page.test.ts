import { httpApiText, type ShownDocument } from '@troupe/tooling/docs/http-api'
import { expect, it } from 'vitest'
import { leadAndClerk, serveTeam } from './support/serve-team.ts'

const INTRO = `# HTTP API

This page lists every operation of \`troupe serve\` with its parameters, body, answers and an example. The [HTTP server](../server.md)
guide shows how to use them, and the [server reference](server.md) describes limits and conventions.

In the examples, \`$TROUPE_URL\` is the address of the server, such as \`http://127.0.0.1:7788\`. If the server has
tokens, add \`-H "Authorization: Bearer $TOKEN"\`. A running server offers the same document as \`/openapi.json\`.

This page is generated. Update it with \`vitest run --project server http-api-page -u\`.

<!-- http-api:start -->

`

it('the page of the HTTP API has every operation of the OpenAPI document', async () => {
  const { url } = await serveTeam(leadAndClerk())
  const document = (await (await fetch(`${url}/openapi.json`)).json()) as ShownDocument
  const text = httpApiText(document)
  for (const [path, methods] of Object.entries(document.paths))
    for (const method of Object.keys(methods)) expect(text).toContain(`### ${method.toUpperCase()} ${path}\n`)
  await expect(`${INTRO}${text}\n\n<!-- http-api:end -->\n`).toMatchFileSnapshot(
    '../../../docs/reference/http-api.md',
  )
})
