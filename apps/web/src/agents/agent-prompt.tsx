import type { CardSource } from '@troupe/client'
import { useState, type ReactElement } from 'react'
import { Button, CopyButton } from '../ui/button.tsx'
import { Prose } from '../ui/prose.tsx'
import { Section } from '../ui/section.tsx'

/** Shows the prompt of an agent, rendered or as written. Only operators may read it; others see nothing. */
export function AgentPrompt({ card }: { readonly card: CardSource | undefined }): ReactElement | null {
  const [isRendered, setRendered] = useState(true)
  if (card === undefined || card.prompt.trim() === '') return null
  return (
    <Section
      title="Prompt"
      action={
        <span className="flex items-center gap-1">
          <Button tone="quiet" size="small" onClick={() => setRendered(!isRendered)}>
            {isRendered ? 'As written' : 'Rendered'}
          </Button>
          <CopyButton text={card.prompt} label="Copy prompt" />
        </span>
      }
    >
      <div
        tabIndex={0}
        role="region"
        aria-label="Prompt"
        dir="auto"
        className="max-h-120 overflow-auto rounded-md border border-line bg-panel p-4"
      >
        {isRendered ? (
          <Prose text={card.prompt} />
        ) : (
          <pre className="font-mono text-small break-words whitespace-pre-wrap">{card.prompt}</pre>
        )}
      </div>
    </Section>
  )
}
