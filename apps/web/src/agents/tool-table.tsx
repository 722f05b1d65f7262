import type { ReactElement } from 'react'
import type { ServedAgent, ServedTool } from '../api/agents.ts'

const PERMISSIONS = {
  allow: ['runs', 'text-good'],
  ask: ['asks you', 'text-warn'],
  deny: ['refused', 'text-bad'],
} as const

/** Shows the tools of an agent, including those it reaches through other agents, with their permissions. */
export function ToolTable({ agent }: { readonly agent: ServedAgent }): ReactElement {
  const rows: readonly (ServedTool & { readonly via?: readonly string[] })[] = [
    ...agent.tools,
    ...agent.reaches,
  ]
  return (
    <div className="flex flex-col gap-2">
      {rows.length === 0 ? null : (
        <table className="w-full text-left text-small">
          <tbody>
            {rows.map((tool) => {
              const [word, tone] = PERMISSIONS[tool.permission]
              return (
                <tr key={`${tool.via?.join('/') ?? ''} ${tool.name}`} className="border-t border-line/60">
                  <td className="py-1.5 pr-3 font-mono break-all">{tool.name}</td>
                  <td className="py-1.5 pr-3 text-muted">
                    {tool.via === undefined ? tool.source : `through ${tool.via.join(' → ')}`}
                  </td>
                  <td className={`py-1.5 text-right font-medium whitespace-nowrap ${tone}`}>{word}</td>
                </tr>
              )
            })}
          </tbody>
        </table>
      )}
      {agent.servers.length === 0 ? null : (
        <p className="text-small text-muted">
          and the tools of {agent.servers.length === 1 ? 'the MCP server' : 'the MCP servers'}{' '}
          <code className="font-mono">{agent.servers.join(', ')}</code>, which are asked when a run begins
        </p>
      )}
      {rows.length + agent.servers.length === 0 ? (
        <p className="text-small text-muted">It has no tools.</p>
      ) : null}
    </div>
  )
}
