//! Generates the code of the contract from the folder `PROTO`, else `proto` here, else `../../proto`.
use std::env;
use std::error::Error;
use std::path::PathBuf;

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-env-changed=PROTO");
    let contract = env::var_os("PROTO").map_or_else(beside, PathBuf::from);
    println!("cargo::rerun-if-changed={}", contract.display());
    let mut config = tonic_prost_build::Config::new();
    config.protoc_executable(protoc_bin_vendored::protoc_bin_path()?);
    tonic_prost_build::configure().build_server(false).build_transport(false).compile_with_config(
        config,
        &[contract.join("referee/v1/play_service.proto")],
        &[contract, protoc_bin_vendored::include_path()?],
    )?;
    Ok(())
}

/// Returns where the contract lies in a project of one's own, or in the tree of the referee.
fn beside() -> PathBuf {
    let own = PathBuf::from("proto");
    if own.is_dir() { own } else { "../../proto".into() }
}
