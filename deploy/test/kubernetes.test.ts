import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Deployment } from 'kubernetes-models/apps/v1'
import { Ingress, NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1'
import { Service } from 'kubernetes-models/v1'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { typeCheck, type KubernetesObject } from './type-check.ts'

interface Pod {
  readonly terminationGracePeriodSeconds: number
  readonly securityContext: Readonly<Record<string, unknown>>
  readonly containers: readonly {
    readonly image: string
    readonly args: readonly string[]
    readonly securityContext: Readonly<Record<string, unknown>>
    readonly env: readonly { readonly value?: string }[]
  }[]
}

interface PodOwner extends KubernetesObject {
  readonly spec: {
    readonly template: { readonly metadata: { readonly labels: object }; readonly spec: Pod }
  }
}

const CLASSES = { Deployment, Service, Ingress, NetworkPolicy, PodDisruptionBudget } as const

const file = path.join(import.meta.dirname, '../kubernetes/troupe.yaml')
const { items } = parse(readFileSync(file, 'utf8')) as { readonly items: readonly KubernetesObject[] }
const owners = items.filter((item): item is PodOwner => item.kind === 'Deployment')

describe('the manifest for Kubernetes', () => {
  it('every object of the Kubernetes manifest is valid', () => {
    expect(new Set(items.map(({ kind }) => kind))).toEqual(new Set(Object.keys(CLASSES)))
    for (const item of items) new CLASSES[item.kind as keyof typeof CLASSES](item as never).validate()
    expect(typeCheck(items)).toEqual([])
  })

  it('a misspelt field of the Kubernetes manifest is found', () => {
    const changed = JSON.stringify(items)
      .replace('"replicas"', '"replica"')
      .replace('"podSelector"', '"podsSelector"')
    expect(typeCheck(JSON.parse(changed) as KubernetesObject[])).toEqual([
      expect.stringContaining(`'"replica"' does not exist`),
      expect.stringContaining(`'"podsSelector"' does not exist`),
    ])
  })

  it('all containers use one image with a version, and workers get more time than they need to drain', () => {
    const containers = owners.flatMap(({ spec }) => spec.template.spec.containers)
    expect(new Set(containers.map(({ image }) => image)).size).toBe(1)
    for (const { image } of containers) expect(image).toMatch(/:\d+\.\d+\.\d+$/u)
    const worker = owners.find(({ spec }) => spec.template.spec.containers[0]?.args[0] === 'worker')
    const { args = [] } = worker?.spec.template.spec.containers[0] ?? {}
    expect(args[args.indexOf('--drain-timeout') + 1]).toBe('10m')
    expect(worker?.spec.template.spec.terminationGracePeriodSeconds).toBeGreaterThan(600)
  })

  it('every pod satisfies the restricted pod security standard, and no secret is written into the manifest', () => {
    for (const { spec } of owners) {
      const { securityContext, containers } = spec.template.spec
      expect(securityContext).toMatchObject({
        runAsNonRoot: true,
        runAsUser: 10_001,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      for (const container of containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        for (const { value } of container.env) expect(value).toBeUndefined()
      }
    }
  })

  it('a network policy denies everything, and every selector of the manifest matches pods of it', () => {
    const policies = items.filter(({ kind }) => kind === 'NetworkPolicy') as unknown as readonly {
      readonly metadata: { readonly name: string }
      readonly spec: { readonly podSelector: { readonly matchLabels?: Readonly<Record<string, string>> } }
    }[]
    expect(policies[0]).toMatchObject({
      metadata: { name: 'deny-all' },
      spec: { podSelector: {}, policyTypes: ['Ingress', 'Egress'] },
    })
    const labels = owners.map(({ spec }) => Object.entries(spec.template.metadata.labels))
    for (const { spec } of policies)
      for (const [key, value] of Object.entries(spec.podSelector.matchLabels ?? {}))
        expect(labels.flat()).toContainEqual([key, value])
  })
})
