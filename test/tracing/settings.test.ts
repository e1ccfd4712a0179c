import { describe, expect, it } from '@jest/globals';
import { spanReceiver } from '../../src/tracing/tracing';

describe('the receiver of traces', () => {
  it('is unset by default', () => {
    expect(spanReceiver({})).toBeUndefined();
  });

  it('comes from variables of OpenTelemetry, first from those for traces', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
    expect(spanReceiver(env)).toEqual({ host: 'localhost:4318' });
    const more = { ...env, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.com/v1/traces' };
    expect(spanReceiver(more)).toEqual({ host: 'traces.example.com' });
  });

  it.each([{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }])('is unset with %j', (off) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318', ...off };
    expect(spanReceiver(env)).toBeUndefined();
  });

  it.each([
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT must begin with https://.',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://user:planted@collector:4318' },
      'OTEL_EXPORTER_OTLP_ENDPOINT must not hold a user name or password; put keys into the headers.',
    ],
    [
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      'OTEL_EXPORTER_OTLP_PROTOCOL names an unsupported protocol: use http/protobuf and its port, usually 4318.',
    ],
    [
      {
        OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318',
        OTEL_EXPORTER_OTLP_CERTIFICATE: '/nowhere/ca.pem',
      },
      'OTEL_EXPORTER_OTLP_CERTIFICATE names a file that cannot be read (ENOENT).',
    ],
  ])('refuses an invalid variable: %j', (env, words) => {
    expect(() => spanReceiver(env)).toThrow(words);
  });

  it.each(['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_TRACES_HEADERS'])(
    'gets no key of %s over plain http, except on this machine [P24]',
    (name) => {
      const env = { [name]: 'api-key=planted' };
      const at = (url: string) => spanReceiver({ ...env, OTEL_EXPORTER_OTLP_ENDPOINT: url });
      expect(() => at('http://collector:4318')).toThrow(
        `${name} would be sent unencrypted; use https for the endpoint.`,
      );
      expect(at('https://collector:4318')?.host).toBe('collector:4318');
      expect(at('http://127.0.0.1:4318')?.host).toBe('127.0.0.1:4318');
    },
  );
});
