# winnow as a container that runs as nobody in particular, with models and CA in the volume /data:
#
#   docker build -t winnow .
#   docker run -p 127.0.0.1:8080:8080 -v winnow:/data -e WINNOW_ALLOW_CLIENT=0.0.0.0/0 winnow
#   docker run --rm -v winnow:/data winnow ca export > winnow.pem
#
# In a container all clients come from other addresses, so it must be said who may use the proxy: WINNOW_ALLOW_CLIENT as above
# with a port that is published on this machine alone, or WINNOW_PASSWORD_FILE. Every flag has such a variable.
FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
RUN CGO_ENABLED=0 go build -ldflags='-s -w' -o /out/winnow ./cmd/winnow
RUN install -d -m 0700 /out/data

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/winnow /winnow
COPY --from=build --chown=65532:65532 /out/data /data
USER 65532:65532
ENV WINNOW_DATA=/data WINNOW_LISTEN=0.0.0.0:8080 WINNOW_ADMIN=127.0.0.1:8081
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=15s CMD ["/winnow", "doctor", "--probe", ""]
ENTRYPOINT ["/winnow"]
CMD ["serve"]
