import { Duration, Fn } from 'aws-cdk-lib';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CachePolicy,
  Distribution,
  Function as EdgeFunction,
  FunctionCode,
  FunctionEventType,
  FunctionRuntime,
  GeoRestriction,
  HttpVersion,
  type IOrigin,
  OriginProtocolPolicy,
  OriginRequestPolicy,
  OriginSslPolicy,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import type { Construct } from 'constructs';
import { edgeSecretHeader } from '../functions/environment.ts';
import { routes } from '../functions/routes.ts';
import type { ApiStack } from './api-stack.ts';
import type { ChatStack } from './chat-stack.ts';
import { type DataStack, secretReference } from './data-stack.ts';
import { suppress } from './nag-suppressions.ts';
import { NamedNestedStack } from './named-nested-stack.ts';
import { viewerAddressHeader } from './service-function.ts';
import type { Settings } from './settings.ts';

/** CloudFront in front of API and chat, so that both have one address. Only assets and the metadata of OAuth are cached. */
export class EdgeStack extends NamedNestedStack {
  readonly distribution: Distribution;
  #viewerAddressFunction: EdgeFunction | undefined;

  constructor(
    scope: Construct,
    id: string,
    parts: { data: DataStack; api: ApiStack; chat: { path: string; stack: ChatStack } | undefined },
    settings: Settings,
  ) {
    super(scope, id);
    const { data, api, chat } = parts;
    const { domain, webAclArn, allowedCountries } = settings;
    const [secret] = data.edgeSecrets;
    const makeOrigin = (host: string) =>
      createOrigin(host, secret ? { [edgeSecretHeader]: secretReference(secret) } : {});
    const apiOrigin = makeOrigin(api.host);
    const behaviors: Record<string, BehaviorOptions> = {};
    const runs = (edgeFunction: EdgeFunction) => [
      { function: edgeFunction, eventType: FunctionEventType.VIEWER_REQUEST },
    ];
    if (chat) {
      const origin = makeOrigin(splitHost(chat.stack.url.url));
      behaviors[chat.path] = { ...passOn(origin), functionAssociations: runs(this.#viewerAddress()) };
    }
    const documentBehavior = this.#publicDocument(apiOrigin);
    for (const { path, raw, limitsAddresses } of routes) {
      const behavior = raw?.isPublicDocument ? documentBehavior : passOn(apiOrigin);
      if (raw?.isPublicDocument) behaviors[path] = behavior;
      if (limitsAddresses) behaviors[path] ??= { ...behavior, functionAssociations: runs(this.#viewerAddress()) };
      const others = raw?.otherPaths ?? [];
      const rewrite = others.length > 0 ? runs(this.#ownPath(path)) : [];
      for (const other of others) behaviors[other] = { ...behavior, functionAssociations: rewrite };
    }
    // Assets are named after their content, so they never change.
    behaviors['/assets/*'] = {
      origin: apiOrigin,
      cachePolicy: CachePolicy.CACHING_OPTIMIZED,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      responseHeadersPolicy: ResponseHeadersPolicy.SECURITY_HEADERS,
    };
    this.distribution = new Distribution(this, 'Distribution', {
      comment: this.nestedStackParent?.stackName ?? id,
      defaultBehavior: passOn(apiOrigin),
      additionalBehaviors: behaviors,
      httpVersion: HttpVersion.HTTP2_AND_3,
      minimumProtocolVersion: domain && SecurityPolicyProtocol.TLS_V1_2_2021,
      domainNames: domain && [domain.name],
      certificate: domain && Certificate.fromCertificateArn(this, 'Certificate', domain.certificateArn),
      webAclId: webAclArn,
      geoRestriction: allowedCountries.length > 0 ? GeoRestriction.allowlist(...allowedCountries) : undefined,
    });
    suppress(this.distribution, 'edgeLogs');
  }

  /** Sends the caller's address to a function that otherwise sees CloudFront's. A caller cannot set the header. */
  #viewerAddress() {
    this.#viewerAddressFunction ??= this.#addFunction(
      'ViewerAddress',
      `event.request.headers['${viewerAddressHeader}'] = { value: event.viewer.ip };`,
    );
    return this.#viewerAddressFunction;
  }

  /** Lets pages of any origin read a document, which is kept as long as it says. The API's own CORS settings name the application. */
  #publicDocument(origin: IOrigin): BehaviorOptions {
    const responseHeadersPolicy = new ResponseHeadersPolicy(this, 'PublicDocumentHeaders', {
      corsBehavior: {
        accessControlAllowCredentials: false,
        accessControlAllowHeaders: ['*'],
        accessControlAllowMethods: ['GET', 'HEAD', 'OPTIONS'],
        accessControlAllowOrigins: ['*'],
        originOverride: true,
      },
      securityHeadersBehavior: {
        contentTypeOptions: { override: true },
        strictTransportSecurity: { accessControlMaxAge: Duration.days(365), override: true },
      },
    });
    const cachePolicy = new CachePolicy(this, 'PublicDocumentCache', {
      minTtl: Duration.seconds(0),
      defaultTtl: Duration.seconds(0),
      maxTtl: Duration.minutes(5),
    });
    // Only the headers with which a browser asks whether it may read reach the API.
    const originRequestPolicy = OriginRequestPolicy.CORS_S3_ORIGIN;
    return { ...passOn(origin), originRequestPolicy, cachePolicy, responseHeadersPolicy };
  }

  /** Asks for the operation's own path. API Gateway accepts no route that ends with a slash. */
  #ownPath(path: string) {
    return this.#addFunction(`OwnPath${path}`, `event.request.uri = '${path}';`);
  }

  /** Adds a function that changes a request by one statement. */
  #addFunction(id: string, statement: string) {
    const code = `function handler(event) {\n  ${statement}\n  return event.request;\n}`;
    return new EdgeFunction(this, id, { runtime: FunctionRuntime.JS_2_0, code: FunctionCode.fromInline(code) });
  }
}

/** Forwards everything. Plain HTTP is refused rather than redirected, because the request has already exposed its key. */
const passOn = (origin: IOrigin) => ({
  origin,
  allowedMethods: AllowedMethods.ALLOW_ALL,
  cachePolicy: CachePolicy.CACHING_DISABLED,
  originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
  viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
  // This adds Strict-Transport-Security, among others.
  responseHeadersPolicy: ResponseHeadersPolicy.SECURITY_HEADERS,
  compress: false,
});

const createOrigin = (host: string, customHeaders: Record<string, string>) =>
  new HttpOrigin(host, {
    customHeaders,
    protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
    originSslProtocols: [OriginSslPolicy.TLS_V1_2],
    // The chat sends something at least every ten seconds, and the API responds within thirty.
    readTimeout: Duration.seconds(60),
    keepaliveTimeout: Duration.seconds(60),
    connectionAttempts: 2,
  });

/** Returns the host of a URL that is known only during the deployment. */
const splitHost = (url: string) => Fn.select(2, Fn.split('/', url));
