# Makes the types of the contract, and puts the contract where the bot finds it when it runs.
set -e
if [ -z "${PROTO:-}" ]; then
  if [ -d proto ]; then PROTO=proto; else PROTO=../../proto; fi
fi
rm -rf src/generated dist
proto-loader-gen-types --longs=String --enums=String --defaults --oneofs --importFileExtension=.js \
  --grpcLib=@grpc/grpc-js --includeDirs="$PROTO" --outDir=src/generated referee/v1/play_service.proto
mkdir -p dist/proto/referee
cp -r "$PROTO/referee/v1" dist/proto/referee/
