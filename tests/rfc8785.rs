//! Canonical JSON against the reference files of RFC 8785, byte for byte.

mod corpus;

#[test]
fn every_reference_file_is_reproduced() {
    let Some(folder) = corpus::corpus("rfc8785") else { return };
    let inputs = corpus::files(&folder.join("input"));
    let names = |files: &[(String, std::path::PathBuf)]| files.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&inputs), names(&corpus::files(&folder.join("output"))), "each output has its input");
    assert_eq!(inputs.len(), 6);
    for (name, input) in inputs {
        let expected = std::fs::read_to_string(folder.join("output").join(&name)).unwrap();
        let canonical = toolgate::json::canonicalize(&std::fs::read_to_string(input).unwrap()).unwrap();
        assert_eq!(canonical, expected, "{name}");
        assert_eq!(
            toolgate::json::canonicalize(&canonical).unwrap(),
            canonical,
            "{name}: canonical text stays as it is"
        );
    }
}

/// The number samples of RFC 8785, appendix B: the bits of a double and its text.
#[test]
fn numbers_are_written_as_in_appendix_b() {
    for (bits, expected) in [
        (0x0000_0000_0000_0000_u64, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ] {
        let mut text = String::new();
        toolgate::json::write_number(&mut text, f64::from_bits(bits));
        assert_eq!(text, expected, "{bits:016x}");
        let rust = format!("[{:e}]", f64::from_bits(bits));
        assert_eq!(toolgate::json::canonicalize(&rust).unwrap(), format!("[{expected}]"), "{bits:016x}");
    }
}

#[test]
fn what_the_rfc_forbids_is_refused() {
    for text in [r#""\ud800""#, r#"{"\udc00":1}"#, "[1e400]", "", "[1] 2"] {
        assert!(toolgate::json::canonicalize(text).is_err(), "{text}");
    }
}
