// A function that reads one item of the table with Node's built-in modules: the minimum time of a first response
// that comes from a table. After it, the function makes as many concurrent queries as its event says.
import { createHash, createHmac } from 'node:crypto';
import { createRequire } from 'node:module';

// An import of `http` would load undici, too.
const load = createRequire(import.meta.url);
// DynamoDB on AWS answers HTTPS alone. Any function that reads a table loads its modules.
const clients = { 'http:': load('node:http'), 'https:': load('node:https') };

const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL_DYNAMODB, TABLE_NAME } = process.env;
const hmac = (key, text) => createHmac('sha256', key).update(text).digest();
const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** Signature Version 4 of a POST to the root of a service. */
const signed = (host, target, body, now) => {
  const time = now.toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${time.slice(0, 8)}/${AWS_REGION}/dynamodb/aws4_request`;
  const headers = { 'content-type': 'application/x-amz-json-1.0', host, 'x-amz-date': time, 'x-amz-target': target };
  const names = Object.keys(headers).join(';');
  const lines = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = ['POST', '/', '', lines.join(''), names, sha256(body)].join('\n');
  const key = scope.split('/').reduce(hmac, `AWS4${AWS_SECRET_ACCESS_KEY}`);
  const signature = hmac(key, ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n')).toString('hex');
  const credential = `${AWS_ACCESS_KEY_ID}/${scope}`;
  return {
    ...headers,
    authorization: `AWS4-HMAC-SHA256 Credential=${credential}, SignedHeaders=${names}, Signature=${signature}`,
  };
};

const send = async (operation, input) => {
  const { protocol, hostname, port, host } = new URL(AWS_ENDPOINT_URL_DYNAMODB);
  const body = JSON.stringify({ TableName: TABLE_NAME, ConsistentRead: true, ...input });
  const headers = signed(host, `DynamoDB_20120810.${operation}`, body, new Date());
  const answer = await new Promise((resolve, reject) => {
    clients[protocol].request({ hostname, port, method: 'POST', headers }, resolve).on('error', reject).end(body);
  });
  let text = '';
  for await (const part of answer) text += part;
  return { statusCode: answer.statusCode, body: text };
};

const query = (index) =>
  send('Query', {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: `nothing ${index}` } },
  });

export const handler = async ({ queries = 0 }) => {
  const found = await send('GetItem', { Key: { pk: { S: 'nothing' }, sk: { S: 'nothing' } } });
  const pages = await Promise.all(Array.from({ length: queries }, (_, index) => query(index)));
  return pages.find(({ statusCode }) => statusCode !== 200) ?? found;
};
