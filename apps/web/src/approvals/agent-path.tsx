import type { ReactElement } from 'react'

/** Shows the agents from the root run to the one that asks, such as `Lead › Scout[5] › Digger[1]`. */
export function AgentPath({ path }: { readonly path: readonly string[] }): ReactElement {
  return (
    <>
      {path.slice(0, -1).map((instance, index) => (
        <span key={index} className="text-muted">
          {instance} ›{' '}
        </span>
      ))}
      <strong className="font-semibold">{path.at(-1)}</strong>
    </>
  )
}
