import type { ReactElement } from 'react'
import { hrefOf } from '../route/route.ts'
import { DATE_TIME } from '../ui/format.ts'
import { percentText, type RatePoint, type RateSeries } from './rate-series.ts'

/** Sizes in px. The chart scrolls if it has more points than fit. */
const HEIGHT = 132
const TOP = 10
const BOTTOM = 22
const LEFT = 40
const STEP = 36

function yOf(rate: number): number {
  return TOP + (1 - rate) * (HEIGHT - TOP - BOTTOM)
}

function xOf(index: number): number {
  return LEFT + STEP * (index + 0.5)
}

/**
 * Draws the rate of each report with its interval, oldest first. A dashed line marks a new version of the
 * cards. Each point is a link to its report.
 */
export function RateChart({
  series: { agent, model, caseFiles, points },
}: {
  readonly series: RateSeries
}): ReactElement {
  const width = LEFT + STEP * Math.max(points.length, 4) + 8
  const title = [agent, ...(model === undefined ? [] : [model]), caseFiles.join(', ')].join(' · ')
  return (
    <figure className="flex min-w-0 flex-col gap-1.5 rounded-lg border border-line bg-panel px-3 py-2.5">
      <figcaption className="truncate text-small font-medium" title={title}>
        {agent}
        <span className="font-normal text-muted">
          {model === undefined ? '' : ` · ${model}`} · {caseFiles.join(', ')}
        </span>
      </figcaption>
      <div className="overflow-x-auto" tabIndex={0} role="group" aria-label={`Pass rates of ${title}`}>
        <svg width={width} height={HEIGHT} className="block text-accent">
          {[0, 0.5, 1].map((rate) => (
            <g key={rate}>
              <line x1={LEFT} x2={width} y1={yOf(rate)} y2={yOf(rate)} className="stroke-line" />
              <text x={LEFT - 6} y={yOf(rate) + 4} textAnchor="end" className="fill-muted text-tiny tabular">
                {percentText(rate)}
              </text>
            </g>
          ))}
          <polyline
            points={points.map(({ rate }, index) => `${xOf(index)},${yOf(rate)}`).join(' ')}
            className="fill-none stroke-accent/50"
            strokeWidth={1.5}
          />
          {points.map((point, index) => (
            <Point key={point.id} point={point} x={xOf(index)} />
          ))}
        </svg>
      </div>
    </figure>
  )
}

function Point({ point, x }: { readonly point: RatePoint; readonly x: number }): ReactElement {
  const { id, time, rate, low, high, passed, counted, cardDigest, isNewVersion } = point
  const date = DATE_TIME.format(time)
  const label = `${date}: ${passed}/${counted} passed, ${percentText(rate)} (${percentText(low)} to ${percentText(high)}), cards ${cardDigest.slice(0, 7)}`
  return (
    <>
      {isNewVersion ? (
        <line
          x1={x - STEP / 2}
          x2={x - STEP / 2}
          y1={TOP}
          y2={HEIGHT - BOTTOM}
          className="stroke-strong-line"
          strokeDasharray="3 3"
        />
      ) : null}
      <a href={hrefOf({ page: 'eval', id })} aria-label={label}>
        <title>{label}</title>
        <rect x={x - STEP / 2} y={0} width={STEP} height={HEIGHT} className="fill-transparent" />
        <line
          x1={x}
          x2={x}
          y1={yOf(high)}
          y2={yOf(low)}
          className="stroke-accent/45"
          strokeWidth={5}
          strokeLinecap="round"
        />
        <circle cx={x} cy={yOf(rate)} r={4.5} className="fill-accent stroke-panel" strokeWidth={1.5} />
        <text
          aria-hidden="true"
          x={x}
          y={HEIGHT - 6}
          textAnchor="middle"
          className="fill-muted text-[0.625rem] tabular"
        >
          {passed}/{counted}
        </text>
      </a>
    </>
  )
}
