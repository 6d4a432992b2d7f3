import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { AwsError, AwsService } from '../functions/aws.ts';

const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'the secret access key', sessionToken: 'the token' };
const region = 'eu-central-1';

type Asked = { method: string; path: string; headers: IncomingHttpHeaders; body: string };
const asked: Asked[] = [];
type Answer = (response: ServerResponse) => void;
const says =
  (status: number, body: unknown): Answer =>
  (response) =>
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
/** What is answered to the first request, the second, and so on; the last one to all others. */
let answers: Answer[] = [];

/** A service of AWS on the wire. */
const server = createServer(async (request, response) => {
  const { method = '', url = '', headers } = request;
  asked.push({ method, path: url, headers, body: await text(request) });
  (answers[Math.min(asked.length, answers.length) - 1] as Answer)(response);
});

let endpoint: string;
const open = () =>
  new AwsService<{ GetItem: [object, { Item?: object }] }>('dynamodb', 'DynamoDB_20120810', {
    endpoint,
    region,
    credentials,
  });
const within = (milliseconds: number) => ({ abortSignal: AbortSignal.timeout(milliseconds) });

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
beforeEach(() => {
  asked.length = 0;
  answers = [says(200, { Item: { pk: { S: 'x' } } })];
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

describe('a call to AWS', () => {
  it('is the JSON protocol, signed as AWS checks it', async () => {
    const input = { TableName: 'tëst', Key: { pk: { S: 'ключ "1"\n' } } };
    expect(await open().call('GetItem', input, within(5000))).toMatchObject({ Item: { pk: { S: 'x' } } });
    const [{ method, path, headers, body }] = asked as [Asked];
    expect({ method, path, body: JSON.parse(body) }).toEqual({ method: 'POST', path: '/', body: input });
    expect(headers['content-type']).toBe('application/x-amz-json-1.0');
    expect(headers['x-amz-target']).toBe('DynamoDB_20120810.GetItem');
    expect(headers['x-amz-security-token']).toBe(credentials.sessionToken);
    expect(headers['content-length']).toBe(String(Buffer.byteLength(body)));
    expect(headers.authorization).toBe(signatureOf(asked[0] as Asked));
  });

  it('signs every attempt anew', async () => {
    answers = [says(500, { __type: 'InternalServerError' }), says(200, {})];
    await open().call('GetItem', {}, within(5000));
    expect(asked).toHaveLength(2);
    for (const one of asked) expect(one.headers.authorization).toBe(signatureOf(one));
  });

  it('takes credentials that have to be fetched', async () => {
    let fetched = 0;
    const service = new AwsService<{ GetItem: [object, object] }>('dynamodb', 'DynamoDB_20120810', {
      endpoint,
      region,
      credentials: async () => {
        fetched += 1;
        return credentials;
      },
    });
    await service.call('GetItem', {}, within(5000));
    expect(fetched).toBeGreaterThan(0);
    expect((asked[0] as Asked).headers.authorization).toBe(signatureOf(asked[0] as Asked));
  });

  it('that is refused tells AWS’s own name, sentence and fields, and is not repeated', async () => {
    const Item = { pk: { S: 'there' } };
    const __type = 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException';
    answers = [says(400, { __type, message: 'The conditional request failed', Item })];
    const refused = await open()
      .call('GetItem', {}, within(5000))
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(AwsError);
    expect(refused).toMatchObject({
      name: 'ConditionalCheckFailedException',
      message: 'The conditional request failed',
      $fault: 'client',
      $metadata: { httpStatusCode: 400 },
      Item,
    });
    expect(asked).toHaveLength(1);
  });

  const drops: Answer = (response) => response.destroy();
  const breaksOff: Answer = (response) => {
    response.writeHead(200, { 'content-length': '1000' }).write('{"Item":');
    setTimeout(() => response.destroy(), 20);
  };
  const isGateway: Answer = (response) => response.writeHead(503).end('<html>Service Unavailable</html>');
  const throttles = says(400, { __type: 'x#ProvisionedThroughputExceededException', message: 'slow down' });

  it.each([
    ['drops the connection', drops],
    ['breaks off half-way', breaksOff],
    ['is a gateway that says 503', isGateway],
    ['throttles', throttles],
    ['has an error of its own', says(500, { __type: 'x#InternalServerError' })],
  ])('is repeated when the other side %s, three times at most', async (_, fault) => {
    answers = [fault, fault, says(200, { Item: {} })];
    expect(await open().call('GetItem', {}, within(5000))).toMatchObject({ Item: {} });
    expect(asked).toHaveLength(3);
    answers = [fault];
    asked.length = 0;
    await expect(open().call('GetItem', {}, within(5000))).rejects.toThrow();
    expect(asked).toHaveLength(3);
  });

  it('ends at its deadline, whether nothing is answered or half an answer', async () => {
    for (const silent of [() => undefined, (response: ServerResponse) => void response.writeHead(200).write('{')]) {
      answers = [silent];
      const begin = performance.now();
      await expect(open().call('GetItem', {}, within(300))).rejects.toThrow();
      expect(performance.now() - begin).toBeLessThan(1500);
    }
  });

  it('keeps its connection for the next one', async () => {
    let connections = 0;
    const count = () => {
      connections += 1;
    };
    server.on('connection', count);
    const service = open();
    for (let call = 0; call < 5; call++) await service.call('GetItem', {}, within(5000));
    server.off('connection', count);
    expect(connections).toBe(1);
  });
});

/** The header that AWS computes from what arrived, and compares (Signature Version 4). */
const signatureOf = ({ method, path, headers, body }: Asked): string => {
  const [, date = '', names = ''] =
    /Credential=[^/]+\/(\d+)\/.*SignedHeaders=([^,]+)/.exec(headers.authorization ?? '') ?? [];
  // AWS insists on these; anything else may be left out.
  expect(names.split(';')).toEqual(
    expect.arrayContaining(['host', 'x-amz-date', 'x-amz-security-token', 'x-amz-target']),
  );
  const sha256 = (data: string) => createHash('sha256').update(data).digest('hex');
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();
  const canonical = [
    method,
    path,
    '',
    ...names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`),
    '',
    names,
    sha256(body),
  ].join('\n');
  const scope = `${date}/${region}/dynamodb/aws4_request`;
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = [region, 'dynamodb', 'aws4_request'].reduce<Buffer>(
    hmac,
    hmac(`AWS4${credentials.secretAccessKey}`, date),
  );
  const signature = createHmac('sha256', key).update(toSign).digest('hex');
  return `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
};
