import type { FaultRule } from '../../src/simulator/faults';

/** What can become of one call. */
export interface Fault {
  /** Heading of its column. */
  readonly name: string;
  readonly play: Pick<FaultRule, 'when' | 'do'>;
  /** More of portolan.yaml for the portal that has it. */
  readonly portal?: Record<string, unknown>;
}

export const faults: readonly Fault[] = [
  { name: 'reset before', play: { when: 'before', do: 'reset' } },
  { name: 'reset after', play: { when: 'after', do: 'reset' } },
  // Long enough for a machine that is busy with several cells, short enough to be waited for.
  { name: 'hang', play: { do: 'hang' }, portal: { timeout: '8s' } },
  { name: '503', play: { do: { status: 503 } } },
  { name: '429', play: { do: { status: 429, retryAfter: 1 } } },
  { name: 'HTML', play: { do: 'html' } },
  { name: 'token expired', play: { do: 'expireToken' } },
  { name: 'cut body', play: { do: { cut: 10 } } },
];
