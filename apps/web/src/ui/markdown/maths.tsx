import { useEffect, useRef, useState, type ReactElement } from 'react'

/** Shows a formula as MathML. Until it is drawn, and if it has errors, its TeX is shown. */
export function Maths({
  tex,
  isDisplay,
}: {
  readonly tex: string
  readonly isDisplay: boolean
}): ReactElement {
  const drawing = useRef<HTMLSpanElement>(null)
  const [drawn, setDrawn] = useState<string>()
  const isDrawn = drawn === tex
  useEffect(() => {
    let isCurrent = true
    void draw(tex, isDisplay).then((formula) => {
      if (!isCurrent || formula === undefined) return
      drawing.current?.replaceChildren(...formula.childNodes)
      setDrawn(tex)
    })
    return () => {
      isCurrent = false
    }
  }, [tex, isDisplay])
  return (
    <span
      dir="ltr"
      {...(isDisplay ? { role: 'group', 'aria-label': 'Formula', tabIndex: 0 } : {})}
      className={isDisplay ? 'block overflow-x-auto py-1 text-center' : undefined}
    >
      {/* React draws nothing inside the span, so that it does not touch the formula. */}
      <span ref={drawing} hidden={!isDrawn} />
      {isDrawn ? null : <code className="font-mono text-[0.9em]">{tex}</code>}
    </span>
  )
}

/** Returns an element with the formula; `undefined` if the TeX has errors or the renderer cannot be loaded. */
async function draw(tex: string, isDisplay: boolean): Promise<HTMLElement | undefined> {
  const formula = document.createElement('span')
  try {
    const { default: temml } = await import('temml')
    temml.render(tex, formula, { displayMode: isDisplay, throwOnError: true, trust: false, maxExpand: 200 })
    return formula
  } catch {
    return undefined
  }
}
