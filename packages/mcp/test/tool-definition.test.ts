import { expect, it } from 'vitest'
import { toolResult } from '@troupe/schema'
import { readServerTool } from '../src/tools/server-tool.ts'
import { toToolDefinition } from '../src/tools/tool-definition.ts'

const capabilitiesOf = (annotations: object, config: object = {}): readonly string[] | undefined => {
  const { tool } = readServerTool({ name: 't', inputSchema: { type: 'object' }, annotations })
  if (tool === undefined) return ['unread']
  const call = async (): ReturnType<Parameters<typeof toToolDefinition>[1]['call']> => toolResult.text('')
  return toToolDefinition(tool, { server: 's', config, call }).capabilities
}

it('a tool definition gets its capabilities from the annotations', () => {
  expect(capabilitiesOf({ openWorldHint: true })).toEqual(['reads_untrusted', 'egress'])
  expect(capabilitiesOf({ openWorldHint: false, readOnlyHint: true })).toEqual(['reads_private'])
  expect(capabilitiesOf({ openWorldHint: false, destructiveHint: true })).toEqual(['destructive'])
})

it('a tool definition claims nothing for a tool without annotations', () => {
  expect(capabilitiesOf({})).toBeUndefined()
  expect(capabilitiesOf({ openWorldHint: 'yes' })).toBeUndefined()
})

it('a tool definition adds what the configuration says of the server', () => {
  const config = { capabilities: ['reads_private', 'egress'] }
  expect(capabilitiesOf({ openWorldHint: true }, config)).toEqual([
    'reads_private',
    'egress',
    'reads_untrusted',
  ])
})
